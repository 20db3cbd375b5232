import django.db.models.deletion
from django.db import migrations, models

FILL = """
update conversations_reply set space_id = conversation.space_id
from conversations_conversation conversation where conversation.id = conversation_id;
update conversations_replyevent set space_id = reply.space_id from conversations_reply reply where reply.id = reply_id;
"""


def space(**choices):
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to="memory.space",
        **choices,
    )


class Migration(migrations.Migration):
    dependencies = [("conversations", "0012_client_chats"), ("memory", "0030_whose_rows_they_are")]

    operations = [
        migrations.AddField("reply", "space", space(null=True)),
        migrations.AddField("replyevent", "space", space(null=True)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AlterField("reply", "space", space()),
        migrations.AlterField("replyevent", "space", space()),
    ]
