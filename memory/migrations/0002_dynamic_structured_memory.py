import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="entityrecord",
            name="dul_class",
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name="entityrecord",
            name="lemma",
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name="entityrecord",
            name="pos",
            field=models.CharField(blank=True, max_length=10),
        ),
        migrations.AddField(
            model_name="entityrecord",
            name="supersense",
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name="entityrecord",
            name="synset",
            field=models.CharField(blank=True, max_length=160),
        ),
        migrations.AddField(
            model_name="round",
            name="statement",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="triplerecord",
            name="attributed_to",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AddField(
            model_name="triplerecord",
            name="superseded_in",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="triples_superseded",
                to="memory.round",
            ),
        ),
        migrations.AlterField(
            model_name="conflictrecord",
            name="rule",
            field=models.CharField(
                choices=[
                    ("functional_value", "functional_value"),
                    ("polarity", "polarity"),
                    ("disjoint_properties", "disjoint_properties"),
                    ("temporal_paradox", "temporal_paradox"),
                    ("ended", "ended"),
                    ("corrected", "corrected"),
                    ("model", "model"),
                ],
                max_length=40,
            ),
        ),
        migrations.CreateModel(
            name="EditRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("add", "Add"),
                            ("correct", "Correct"),
                            ("forget", "Forget"),
                            ("merge", "Merge"),
                            ("split", "Split"),
                            ("rename", "Rename"),
                            ("declare", "Declare"),
                            ("conflict", "Conflict"),
                            ("import", "Import"),
                        ],
                        max_length=10,
                    ),
                ),
                ("summary", models.CharField(max_length=1000)),
                ("undo", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="edits", to="memory.space"
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["space", "-id"], name="memory_edit_space_i_42043f_idx")],
            },
        ),
        migrations.CreateModel(
            name="GraphCheckRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reasoner", models.CharField(max_length=20)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("consistent", "Consistent"), ("inconsistent", "Inconsistent"), ("failed", "Failed")],
                        max_length=12,
                    ),
                ),
                ("explanation", models.TextField(blank=True)),
                ("triple_count", models.PositiveIntegerField(default=0)),
                ("duration_ms", models.FloatField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="graph_checks", to="memory.space"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["space", "-id"], name="memory_grap_space_i_aff77c_idx")],
            },
        ),
        migrations.CreateModel(
            name="HeldFragmentRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "axiom",
                    models.CharField(
                        choices=[
                            ("functional", "functional"),
                            ("asymmetric", "asymmetric"),
                            ("irreflexive", "irreflexive"),
                            ("disjoint_properties", "disjoint_properties"),
                            ("disjoint_classes", "disjoint_classes"),
                            ("negative_assertion", "negative_assertion"),
                            ("datatype", "datatype"),
                        ],
                        max_length=40,
                    ),
                ),
                ("reason", models.TextField()),
                ("facts", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("against", models.ManyToManyField(related_name="held_fragments", to="memory.triplerecord")),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="held_fragments", to="memory.round"
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="held_fragments",
                        to="memory.sentencerecord",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="held_fragments", to="memory.space"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["space", "-id"], name="memory_held_space_i_05774d_idx")],
            },
        ),
        migrations.CreateModel(
            name="PredicateRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("is_functional", models.BooleanField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "declared_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="predicates", to="memory.space"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("space", "name"), name="predicate_once_a_space")],
            },
        ),
    ]
