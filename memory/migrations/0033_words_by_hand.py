"""Names the turns that the product wrote down for a person on a page by what was done: "by-hand:corrected:3"."""

from django.db import migrations

BY_HAND = """
update memory_turn as turn
set key = 'by-hand:' || case when exists (
    select 1 from memory_triplerecord as triple
    join memory_conflictrecord as clash on clash.new_id = triple.id and clash.rule = 'corrected'
    where triple.round_id = turn.round_id
) then 'corrected' else 'added' end || ':' || turn.index
from memory_session as session
where session.id = turn.session_id and session.key = 'by-hand' and turn.key = ''
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0032_backlog_of_imports"),
    ]

    operations = [migrations.RunSQL(BY_HAND, migrations.RunSQL.noop)]
