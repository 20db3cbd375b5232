"""What a reply tells of what it changed, stored with the change."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0007_reply_edit"),
    ]

    operations = [
        migrations.AddField(
            model_name="reply", name="outcome", field=models.TextField(blank=True, default=""), preserve_default=False
        ),
    ]
