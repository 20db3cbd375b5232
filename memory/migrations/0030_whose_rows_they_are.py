import django.db.models.deletion
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchConfig, SearchVectorField
from django.db import migrations, models

FILL = """
update memory_wordposting set space_id = word.space_id from memory_wordrecord word where word.id = word_id;
update memory_sessionposting set space_id = word.space_id from memory_wordrecord word where word.id = word_id;
update memory_steprecord set space_id = trace.space_id from memory_tracerecord trace where trace.id = trace_id;
"""


def words_of(column, config):
    return models.Func(SearchConfig(config), models.F(column), function="to_tsvector", output_field=SearchVectorField())


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
    dependencies = [("memory", "0029_invitations")]

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
        migrations.RemoveIndex("aliasrecord", "alias_words"),
        migrations.AddIndex("aliasrecord", GinIndex(words_of("key", "simple"), name="alias_words")),
        migrations.RemoveIndex("digestrecord", "digest_words"),
        migrations.AddIndex("digestrecord", GinIndex(words_of("text", "english"), name="digest_words")),
    ]
