"""Rounds whose message wishes something of the memory: they were the ones of remembered sessions that were skipped."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rounds = apps.get_model("memory", "Round").objects
    rounds.filter(maintenance="skipped", session__is_remembered=True).update(is_wish=True)


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0020_confidence_of_conflicts"),
    ]

    operations = [
        migrations.AddField(model_name="round", name="is_wish", field=models.BooleanField(default=False)),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
