from django.db import migrations, models

FORWARD = """
create function memory_conflict_known_from() returns trigger language plpgsql as $$
begin
    select max(round_id) into new.known_from from memory_triplerecord where id in (new.old_id, new.new_id);
    return new;
end $$;
create trigger memory_conflict_known_from before insert or update of old_id, new_id, known_from on memory_conflictrecord
    for each row execute function memory_conflict_known_from();
update memory_conflictrecord set known_from = null;
"""
BACKWARD = """
drop trigger memory_conflict_known_from on memory_conflictrecord;
drop function memory_conflict_known_from();
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_sentence_graph")]

    operations = [
        migrations.AddField(
            model_name="conflictrecord",
            name="known_from",
            field=models.BigIntegerField(editable=False, null=True),
        ),
        # Setting the number of every conflict there is, to whatever, lets the trigger set it right.
        migrations.RunSQL(FORWARD, BACKWARD),
        migrations.AddIndex(
            model_name="conflictrecord",
            index=models.Index(fields=["space", "-known_from", "-id"], name="conflict_known_from"),
        ),
        migrations.AddIndex(
            model_name="triplerecord",
            index=models.Index(
                condition=models.Q(("superseded_at__isnull", False)),
                fields=["space", "-round", "-id"],
                include=("superseded_in", "superseded_at"),
                name="triple_replaced_then",
            ),
        ),
    ]
