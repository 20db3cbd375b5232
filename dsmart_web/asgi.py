"""The ASGI application: HTTP and WebSockets in one process."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dsmart_web.settings")
http = get_asgi_application()

# These import models, which need the line above.
from conversations.doors.mcp.http import McpDoor  # noqa: E402
from dsmart_web.addresses import told_by_proxies  # noqa: E402
from dsmart_web.bodies import BoundedBodies  # noqa: E402
from dsmart_web.outages import AwaySockets  # noqa: E402
from dsmart_web.plain_text import PlainTextHandshake  # noqa: E402
from dsmart_web.requests import Requests  # noqa: E402
from dsmart_web.routing import websocket_urlpatterns  # noqa: E402

sockets = PlainTextHandshake(AwaySockets(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))))
application = Requests(
    told_by_proxies(
        ProtocolTypeRouter({"http": BoundedBodies(McpDoor(http)), "websocket": AllowedHostsOriginValidator(sockets)})
    )
)
