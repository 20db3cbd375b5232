"""The addresses of all apps."""

from __future__ import annotations

from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path

from dsmart_web.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
]
for prefix, module in (("api/", "dsmart_web.api_urls"), ("", "memory.urls"), ("", "conversations.urls")):
    if find_spec(module):
        urlpatterns.append(path(prefix, include(module)))
