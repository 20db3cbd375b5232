"""Where names become responders over one space's memory."""

from __future__ import annotations

from conversations.core.ports import Responder
from conversations.core.responders.base import BaseResponder
from conversations.core.responders.graph import GraphResponder
from memory import bootstrap as memory_bootstrap
