from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0002_dynamic_structured_memory"),
    ]

    operations = [
        migrations.AddField(
            model_name="sentencerecord",
            name="is_own",
            field=models.BooleanField(default=True),
        ),
    ]
