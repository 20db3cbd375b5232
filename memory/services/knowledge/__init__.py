"""Knowledge bases of a space: imported from files, in the background where they are uploaded, and removed."""

from memory.services.knowledge.bases import (
    KNOWLEDGE_QUEUE,
    KNOWLEDGE_TASK,
    knowledge_promise_removal,
    knowledge_remove,
    knowledge_upload,
    knowledge_waiting_promise,
    knowledge_work,
)
from memory.services.knowledge.importing import KnowledgeFile, knowledge_import
