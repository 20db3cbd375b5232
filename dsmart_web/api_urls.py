"""The REST API, its description, and the page that shows it."""

from django.contrib.auth.decorators import login_required
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

# The page's script is an address of its own (`?script=`), because the content policy allows no script within a page.
docs = SpectacularSwaggerSplitView.as_view(url_name="api-schema", template_name="api_docs.html")

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", login_required(docs), name="api-docs"),
    path("", include("memory.api.urls")),
    path("", include("conversations.api.urls")),
    path("", include("evaluation.api.urls")),
]
