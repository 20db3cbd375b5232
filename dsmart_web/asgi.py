"""The ASGI application: HTTP and WebSockets in one process."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dsmart_web.settings")
http = get_asgi_application()

# These import models, which need the line above.
from conversations.doors.mcp.http import McpDoor  # noqa: E402
from dsmart_web.addresses import told_by_proxies  # noqa: E402
from dsmart_web.bodies import BoundedBodies  # noqa: E402
from dsmart_web.requests import Requests  # noqa: E402
from dsmart_web.routing import sockets  # noqa: E402

application = Requests(
    told_by_proxies(ProtocolTypeRouter({"http": BoundedBodies(McpDoor(http)), "websocket": sockets}))
)
