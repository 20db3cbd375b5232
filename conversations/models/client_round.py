"""Where the messages of other programs' chats are: they send the whole history each time, and no id of ours."""

from django.db import models

from conversations.models.conversation import Conversation
from memory.models import Round, Space


class ClientRound(models.Model):
    """A round whose message came from another program.

    `through` is the keyed digest of the history with the message, `said` that of the person's words in it; `chat` is the
    program's own id of the chat. A message that `is_repeat` was learnt where it came first, and is not learnt here.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="from_client")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="client_rounds")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    chat = models.CharField(max_length=200, blank=True)
    through = models.CharField(max_length=64)
    said = models.CharField(max_length=64)
    is_repeat = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["space", "through"], name="client_round_through"),
            models.Index(fields=["space", "said"], name="client_round_said"),
            models.Index(fields=["space", "chat"], condition=~models.Q(chat=""), name="client_round_chat"),
        ]
