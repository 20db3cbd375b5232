import django.db.models.deletion
from django.db import migrations, models

FILL = """
update memory_wordposting set space_id = word.space_id from memory_wordrecord word where word.id = word_id;
update memory_sessionposting set space_id = word.space_id from memory_wordrecord word where word.id = word_id;
update memory_steprecord set space_id = trace.space_id from memory_tracerecord trace where trace.id = trace_id;
"""


def space(**choices):
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to="memory.space",
        **choices,
    )


class Migration(migrations.Migration):
    dependencies = [("memory", "0025_knowledge_bases")]

    operations = [
        migrations.AddField("wordposting", "space", space(null=True)),
        migrations.AddField("sessionposting", "space", space(null=True)),
        migrations.AddField("steprecord", "space", space(null=True)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AlterField("wordposting", "space", space()),
        migrations.AlterField("sessionposting", "space", space()),
        migrations.AlterField("steprecord", "space", space()),
        migrations.RemoveConstraint("wordposting", "word_once_a_turn"),
        migrations.AddConstraint(
            "wordposting",
            models.UniqueConstraint(
                fields=("word", "turn"),
                include=("in_turn", "in_window", "turn_words", "window_words", "space"),
                name="word_once_a_turn",
            ),
        ),
        migrations.RemoveConstraint("sessionposting", "word_once_a_session"),
        migrations.AddConstraint(
            "sessionposting",
            models.UniqueConstraint(fields=("word", "session"), include=("count", "space"), name="word_once_a_session"),
        ),
    ]
