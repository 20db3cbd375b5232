"""Versions of rounds, and what the state of a session was before each round (moved from the state, which kept the last)."""

import django.db.models.deletion
from django.db import migrations, models

KEEP_WITH_ROUNDS = """
update memory_round set state_before = jsonb_build_object('elements', '{}'::jsonb) || (state.undo - 'round')
from memory_staterecord state where state.undo ? 'round' and memory_round.id = (state.undo ->> 'round')::bigint
"""


def to_itself() -> models.ForeignKey:
    return models.ForeignKey(
        db_index=False,
        null=True,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to="memory.round",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0027_imports_as_jobs"),
    ]

    operations = [
        migrations.AddField(model_name="round", name="state_before", field=models.JSONField(null=True)),
        migrations.RunSQL(KEEP_WITH_ROUNDS, migrations.RunSQL.noop),
        migrations.RemoveField(model_name="staterecord", name="undo"),
        migrations.AddField(model_name="round", name="version_of", field=to_itself()),
        migrations.AddField(model_name="round", name="aside_with", field=to_itself()),
        migrations.AddField(model_name="turn", name="is_aside", field=models.BooleanField(default=False)),
        migrations.RemoveConstraint(model_name="round", name="round_index_once"),
        migrations.RemoveConstraint(model_name="turn", name="turn_index_once"),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(
                condition=models.Q(("aside_with", None)), fields=("session", "index"), name="round_index_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_aside", False)), fields=("session", "index"), name="turn_index_once"
            ),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("version_of__isnull", False)), fields=["version_of", "id"], name="round_versions"
            ),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("aside_with__isnull", False)), fields=["aside_with"], name="round_aside_with"
            ),
        ),
    ]
