from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_traces")]

    operations = [
        migrations.AddField(model_name="turn", name="is_generated", field=models.BooleanField(default=False)),
        migrations.AddField(model_name="sentencerecord", name="is_evidence", field=models.BooleanField(default=True)),
        # Made anew over evidence alone once it is known what is none.
        migrations.RemoveIndex(model_name="sentencerecord", name="sentence_embedding"),
    ]
