"""The addresses of the sockets."""

from django.urls import path

from conversations.consumers import ConversationConsumer, SpaceConsumer

websocket_urlpatterns = [
    path("ws/conversations/<int:conversation_id>/", ConversationConsumer.as_asgi()),
    path("ws/spaces/<int:space_id>/", SpaceConsumer.as_asgi()),
]
