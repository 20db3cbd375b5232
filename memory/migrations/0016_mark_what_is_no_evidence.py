from django.db import connection, migrations, transaction

from memory.core.english.questions import only_asks

BATCH = 5000
# Until now a reply of the product was known by its key alone.
GENERATED = """
update memory_turn set is_generated = true
where id > %(after)s and id <= %(until)s and role = 'assistant' and speaker = 'assistant' and key ~ '^reply-[0-9]+$'
"""
SENTENCES = """
select sentence.id, sentence.text, turn.is_generated
from memory_sentencerecord sentence join memory_turn turn on turn.id = sentence.turn_id
where sentence.id > %(after)s and sentence.id <= %(until)s and sentence.is_evidence
"""
LAST_TURN = "select coalesce(max(id), 0) from memory_turn"
LAST_SENTENCE = "select coalesce(max(id), 0) from memory_sentencerecord"
NO_EVIDENCE = "update memory_sentencerecord set is_evidence = false where id = any(%(ids)s)"


def mark(apps, schema_editor):
    """Mark turns, then sentences, some thousands at a time; what was marked before an interruption is marked no more."""
    for after in batches(LAST_TURN):
        run(GENERATED, after=after, until=after + BATCH)
    for after in batches(LAST_SENTENCE):
        with transaction.atomic():
            rows = run(SENTENCES, after=after, until=after + BATCH)
            run(NO_EVIDENCE, ids=[pk for pk, text, is_generated in rows if is_generated or only_asks(text)])


def batches(last_row):
    [(last,)] = run(last_row)
    return range(0, last, BATCH)


def run(statement, **arguments):
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return cursor.fetchall() if cursor.description is not None else []


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0015_evidence")]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
