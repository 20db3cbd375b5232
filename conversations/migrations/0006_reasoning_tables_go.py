from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("conversations", "0005_searches_become_steps")]

    operations = [
        migrations.RemoveField(model_name="reply", name="tokens"),
        migrations.DeleteModel(name="ReasoningArgument"),
        migrations.DeleteModel(name="ReasoningNodeTriple"),
        migrations.DeleteModel(name="ReasoningNode"),
        migrations.DeleteModel(name="ReasoningTree"),
    ]
