"""The addresses that OpenAI's clients know, under /v1/."""

from django.urls import path

from conversations.doors.openai import views

urlpatterns = [
    path("chat/completions", views.chat_completions, name="v1-chat-completions"),
    path("models", views.models, name="v1-models"),
    path("models/<path:model_id>", views.model, name="v1-model"),
]
