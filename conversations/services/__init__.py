"""What may be done in a conversation. Each service is keyword-only and owns its transaction."""

from conversations.services.client_messages import client_message_post
from conversations.services.conversations import (
    conversation_archive,
    conversation_check_facts,
    conversation_choose,
    conversation_create,
    conversation_delete,
    conversation_rename,
)
from conversations.services.generation import reply_run
from conversations.services.messages import (
    message_edit,
    message_post,
    reply_regenerate,
    reply_retry,
    reply_stop,
    version_show,
)
from conversations.services.transfer import conversation_export, conversation_import
from conversations.services.unknowns import unknown_answer
