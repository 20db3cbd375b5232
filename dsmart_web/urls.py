"""The addresses of all apps."""

from django.contrib import admin
from django.urls import include, path

from dsmart_web.health import healthz, metrics

handler400 = "dsmart_web.refusals.bad_request"
handler403 = "dsmart_web.refusals.forbidden"
handler404 = "dsmart_web.refusals.not_found"
handler500 = "dsmart_web.outages.server_error"

admin.autodiscover()

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("api/", include("dsmart_web.api_urls")),
    path("v1/", include("conversations.doors.openai.urls")),
    path("", include("memory.urls")),
    path("", include("conversations.urls")),
    path("", include("evaluation.urls")),
]
