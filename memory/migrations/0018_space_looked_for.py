from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_index_evidence")]

    operations = [
        migrations.AddField(
            model_name="space", name="looked_for_at", field=models.DateTimeField(editable=False, null=True)
        ),
    ]
