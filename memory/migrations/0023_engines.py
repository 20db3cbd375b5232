"""Engines that people add on the settings page."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0022_statements_with_sources"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="EngineRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                ("base_url", models.CharField(max_length=500)),
                ("model", models.CharField(max_length=200)),
                ("key", models.TextField(blank=True, editable=False)),
                ("is_shared", models.BooleanField(default=False)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="engines", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("offered_in", models.ManyToManyField(blank=True, related_name="engines", to="memory.space")),
            ],
        ),
    ]
