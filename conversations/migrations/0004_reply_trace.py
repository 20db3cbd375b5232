import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0003_queue"),
        ("memory", "0014_traces"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReplyTrace",
            fields=[
                (
                    "tracerecord_ptr",
                    models.OneToOneField(
                        auto_created=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        parent_link=True,
                        primary_key=True,
                        serialize=False,
                        to="memory.tracerecord",
                    ),
                ),
                (
                    "reply",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="trace", to="conversations.reply"
                    ),
                ),
            ],
            bases=("memory.tracerecord",),
        ),
    ]
