from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_as_of")]

    operations = [
        migrations.AddIndex(
            model_name="digestrecord",
            index=models.Index(fields=["space", "-id"], name="digest_newest"),
        ),
        migrations.AddIndex(
            model_name="digestrecord",
            index=GinIndex(SearchVector("text", config="english"), name="digest_words"),
        ),
    ]
