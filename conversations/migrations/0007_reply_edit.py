"""What a reply changed in the memory."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0006_reasoning_tables_go"),
        ("memory", "0019_rounds_that_are_heard"),
    ]

    operations = [
        migrations.AddField(
            model_name="reply",
            name="edit",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="memory.editrecord"
            ),
        ),
    ]
