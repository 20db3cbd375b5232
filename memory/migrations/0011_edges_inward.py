import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_digest_lists")]

    operations = [
        migrations.AddIndex(
            model_name="sentenceedge",
            index=models.Index(fields=["neighbour", "-similarity", "id"], name="sentence_edge_inward"),
        ),
        migrations.AlterField(
            model_name="sentenceedge",
            name="neighbour",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="edges_in",
                to="memory.sentencerecord",
            ),
        ),
    ]
