from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_lengths_of_postings")]

    operations = [
        migrations.RemoveConstraint(model_name="wordposting", name="word_once_a_turn"),
        migrations.AddConstraint(
            model_name="wordposting",
            constraint=models.UniqueConstraint(
                fields=("word", "turn"),
                include=("in_turn", "in_window", "turn_words", "window_words"),
                name="word_once_a_turn",
            ),
        ),
        migrations.RemoveConstraint(model_name="sessionposting", name="word_once_a_session"),
        migrations.AddConstraint(
            model_name="sessionposting",
            constraint=models.UniqueConstraint(
                fields=("word", "session"), include=("count",), name="word_once_a_session"
            ),
        ),
        migrations.AddIndex(
            model_name="sessionvector",
            index=models.Index(
                condition=models.Q(
                    ("embedding", None),
                    models.Q(("is_full", False), ("read_words__lt", models.F("words"))),
                    _connector="OR",
                ),
                fields=["space", "session"],
                name="session_unread",
            ),
        ),
    ]
