from django.db import migrations, models

# Lengths of what was indexed before; sessions are read anew where they were not read to their end.
LENGTHS = """
update memory_wordposting as posting set turn_words = vector.words, window_words = vector.window_words
from memory_turnvector vector where vector.turn_id = posting.turn_id
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_edges_inward")]

    operations = [
        migrations.AddField(
            model_name="wordposting",
            name="turn_words",
            field=models.PositiveIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="wordposting",
            name="window_words",
            field=models.PositiveIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.RunSQL(LENGTHS, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="sessionvector", name="read_words", field=models.PositiveIntegerField(default=0)
        ),
    ]
