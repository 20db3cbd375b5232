"""Rounds whose words are read before the reply to them is written, and the graph before the links."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models


def read_the_graph(apps: Any, schema_editor: Any) -> None:
    """Let rounds in work go on with the stage that now comes before the one that they finished last."""
    rounds = apps.get_model("memory", "Round").objects.filter(maintenance__in=["pending", "running", "failed"])
    rounds.filter(maintenance_stage="links").update(maintenance_stage="words")


class Migration(migrations.Migration):
    dependencies = [("memory", "0018_space_looked_for")]

    operations = [
        migrations.AlterField(
            model_name="round",
            name="maintenance",
            field=models.CharField(
                choices=[
                    ("waiting", "Waiting"),
                    ("hearing", "Hearing"),
                    ("pending", "Pending"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("skipped", "Skipped"),
                ],
                default="waiting",
                max_length=10,
            ),
        ),
        migrations.RemoveIndex(model_name="round", name="round_to_maintain"),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("maintenance__in", ["hearing", "pending", "running"])),
                fields=["space", "id"],
                name="round_to_maintain",
            ),
        ),
        migrations.RunPython(read_the_graph, migrations.RunPython.noop),
    ]
