"""What may be done to a memory. Each service is keyword-only and owns its transaction."""

from memory.services.dialogue import round_add_turn, round_complete, round_open, session_create
from memory.services.edits.correct import triple_correct
from memory.services.edits.forget import triple_forget
from memory.services.forgetting import round_retract, session_forget, space_forget
from memory.services.maintenance import maintenance_retry, space_maintain
from memory.services.spaces import space_create, space_personal
