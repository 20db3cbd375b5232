"""A reply that tells what was done about a wish has no score; those that had one lose it."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FIGURES = ("entailment", "neutral", "contradiction")
PLACES = ("premise_turn", "premise_start", "premise_end", "hypothesis_start", "hypothesis_end")
REASONS = ("no_history", "no_sentence", "no_claim", "wish", "too_long", "no_model", "failed")


def unscore(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    scored = apps.get_model("evaluation", "TurnScore").objects.filter(state="scored", turn__round__is_wish=True)
    why = "It tells what was done about a wish."
    scored.update(state="not_scored", reason="wish", why=why, label="", **dict.fromkeys((*FIGURES, *PLACES)))


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0001_turn_scores"),
        ("memory", "0021_rounds_that_are_wishes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="turnscore",
            name="reason",
            field=models.CharField(blank=True, choices=[(reason, reason) for reason in REASONS], max_length=12),
        ),
        migrations.RunPython(unscore, migrations.RunPython.noop),
    ]
