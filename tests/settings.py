"""The settings of the tests: the product's own, over a data folder and a database that belong to the tests."""

from __future__ import annotations

import os
from pathlib import Path

for name in list(os.environ):
    if name.startswith("DSMART_") and not name.startswith("DSMART_TEST_"):
        del os.environ[name]
os.environ["DSMART_HOME"] = os.environ.get("DSMART_TEST_HOME") or str(
    Path(__file__).resolve().parent.parent / "var" / "test-home"
)
os.environ["DSMART_SECRET_KEY"] = "only-for-tests-" + "0123456789abcdef" * 3
# Redis is for the tests that start the whole product; the others have a channel layer and a broker of their own.
os.environ.setdefault("DSMART_TEST_REDIS_URL", os.environ.pop("REDIS_URL", ""))
os.environ.pop("REDIS_URL", None)

from dsmart_web.settings import *  # noqa: E402, F403
from dsmart_web.settings import BASE_DIR, DATABASES  # noqa: E402

# A database of this process: several runs may share one server.
DATABASES["default"]["TEST"] = {"NAME": f"test_dsmart_{os.getpid()}"}
DATABASES["default"]["CONN_MAX_AGE"] = 0
DATABASES["default"].setdefault("OPTIONS", {})["options"] = (
    "-c synchronous_commit=off -c hnsw.iterative_scan=strict_order -c random_page_cost=1.1"
)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# The sentence encoder is exported once, for these tests and for every product that they start.
DSMART_MODELS = BASE_DIR / "var" / "models"
