from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0005_annotation")]

    operations = [
        migrations.RemoveIndex(model_name="annotationitem", name="annotation_item_standing"),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                fields=["guideline", "name"],
                include=["created_at"],
                condition=models.Q(("undone_at", None)),
                name="annotation_by_name",
            ),
        ),
        migrations.AddIndex(
            model_name="annotationitem",
            index=models.Index(
                fields=["project", "-id"],
                condition=models.Q(
                    ("gold__isnull", True), ("standing__in", ["disputed", "agreed", "settled", "withdrawn"])
                ),
                name="annotation_item_ended",
            ),
        ),
        migrations.AddIndex(
            model_name="annotationitem",
            index=models.Index(
                fields=["project", "standing"],
                include=["wants", "dataset"],
                condition=models.Q(("gold__isnull", True)),
                name="annotation_item_standing",
            ),
        ),
    ]
