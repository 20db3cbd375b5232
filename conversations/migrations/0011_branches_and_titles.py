"""The sources of replies in versions that are put aside, and who made a title: what there is may be a person's."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0010_reply_knowledge"),
        ("memory", "0028_versions_of_rounds"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="title_by",
            field=models.CharField(
                choices=[("words", "Words"), ("engine", "Engine"), ("person", "Person")],
                default="words",
                max_length=10,
            ),
        ),
        migrations.RunSQL(
            "update conversations_conversation set title_by = 'person' where title <> ''", migrations.RunSQL.noop
        ),
        migrations.CreateModel(
            name="ReplySourceAside",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("start", models.PositiveIntegerField()),
                ("fact", models.CharField(blank=True, max_length=32)),
                ("rank", models.PositiveSmallIntegerField()),
                ("why", models.CharField(max_length=200)),
                (
                    "reply",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources_aside",
                        to="conversations.reply",
                    ),
                ),
                (
                    "turn",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.turn"),
                ),
            ],
        ),
    ]
