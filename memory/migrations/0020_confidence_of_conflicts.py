from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0019_rounds_that_are_heard"),
    ]

    operations = [
        migrations.AddField(
            model_name="conflictrecord",
            name="confidence",
            field=models.FloatField(null=True),
        ),
        migrations.AlterField(
            model_name="conflictrecord",
            name="rule",
            field=models.CharField(
                choices=[
                    ("functional_value", "functional_value"),
                    ("polarity", "polarity"),
                    ("disjoint_properties", "disjoint_properties"),
                    ("temporal_paradox", "temporal_paradox"),
                    ("ended", "ended"),
                    ("corrected", "corrected"),
                    ("learned", "learned"),
                    ("model", "model"),
                ],
                max_length=40,
            ),
        ),
    ]
