"""What a load balancer and a monitor ask."""

from dataclasses import asdict
from secrets import compare_digest

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from dsmart_web.figures import MeterCollector
from dsmart_web.outages import unlogged
from dsmart_web.queues import QueueCollector, queue_states

METRICS = CollectorRegistry()
METRICS.register(QueueCollector())
METRICS.register(MeterCollector())


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 with the state of the queues when the database answers, else 503."""
    try:
        queues = {name: asdict(state) for name, state in queue_states().items()}
    except Error:
        return unlogged(JsonResponse({"status": "no database"}, status=503))
    return JsonResponse({"status": "ok", "queues": queues})


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus' text format whoever bears the token of the metrics, and administrators."""
    if not may_read_metrics(request):
        said = "Send DSMART_METRICS_TOKEN as a bearer token, or sign in as an administrator.\n"
        return HttpResponse(said, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    try:
        return HttpResponse(generate_latest(METRICS), content_type=CONTENT_TYPE_LATEST)
    except Error:
        return unlogged(HttpResponse("no database\n", status=503, content_type="text/plain"))


def may_read_metrics(request: HttpRequest) -> bool:
    token = settings.DSMART_METRICS_TOKEN
    given = request.headers.get("Authorization", "")
    if token and compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    return request.user.is_active and request.user.is_staff
