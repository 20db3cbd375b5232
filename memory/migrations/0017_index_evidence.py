import pgvector.django.indexes
from django.db import migrations, models

# What is no evidence leaves the indexes, and with it the words that were counted of it: the background makes the words and
# the vectors of chunks anew, in spaces that have anything of the kind. Vectors and edges of evidence stay.
WITHDRAW = """
create temporary table touched on commit drop as
    select distinct space_id from memory_sentencerecord where not is_evidence;
delete from memory_sentenceedge where sentence_id in (select id from memory_sentencerecord where not is_evidence);
delete from memory_sentenceedge where neighbour_id in (select id from memory_sentencerecord where not is_evidence);
delete from memory_wordposting posting using memory_wordrecord word
    where word.id = posting.word_id and word.space_id in (select space_id from touched);
delete from memory_sessionposting posting using memory_wordrecord word
    where word.id = posting.word_id and word.space_id in (select space_id from touched);
delete from memory_wordrecord where space_id in (select space_id from touched);
delete from memory_lexiconrecord where space_id in (select space_id from touched);
delete from memory_turnvector where space_id in (select space_id from touched);
delete from memory_roundvector where space_id in (select space_id from touched);
delete from memory_sessionvector where space_id in (select space_id from touched);
update memory_space set is_indexed = false, index_revision = index_revision + 1
    where id in (select space_id from touched);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_mark_what_is_no_evidence")]

    operations = [
        migrations.RunSQL(WITHDRAW, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="sentencerecord",
            index=pgvector.django.indexes.HnswIndex(
                condition=models.Q(("is_evidence", True)),
                ef_construction=64,
                fields=["embedding"],
                m=16,
                name="sentence_embedding",
                opclasses=["vector_cosine_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="sentencerecord",
            index=models.Index(
                condition=models.Q(("is_evidence", False)),
                fields=["space", "-turn", "-index"],
                name="sentence_no_evidence",
            ),
        ),
    ]
