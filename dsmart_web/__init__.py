"""The wiring of the product: settings, URLs, ASGI, Celery and the embedded services."""

from dsmart_web.celery import app

__all__ = ["app"]
