"""Settings, all from the environment (see docs/settings.md). Without any, the product runs embedded on one machine."""

import hashlib
import tempfile
from pathlib import Path

from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from dsmart_web import environment

BASE_DIR = Path(__file__).resolve().parent.parent
DSMART_HOME = environment.home()
DATABASE_URL = environment.text("DATABASE_URL")
REDIS_URL = environment.text("REDIS_URL")

SECRET_KEY = environment.secret_key(DSMART_HOME)
SECRET_KEY_IS_GIVEN = bool(environment.text("DSMART_SECRET_KEY"))
PRODUCT_VERSION = "0.1.0"
DEBUG = environment.flag("DSMART_DEBUG", False)
ALLOWED_HOSTS = environment.names("DSMART_HOSTS", "localhost,127.0.0.1,[::1]")
BEHIND_HTTPS = environment.flag("DSMART_HTTPS", False)
# Whose word on the client's address and scheme counts; a proxy on this machine, where TLS ends before us.
DSMART_TRUSTED_PROXIES = environment.networks("DSMART_TRUSTED_PROXIES", "127.0.0.1/32,::1/128" if BEHIND_HTTPS else "")
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if BEHIND_HTTPS else []

INSTALLED_APPS = [
    # The admin's pages are found by `dsmart_web.urls`: what serves no pages does not wait for them.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "channels",
    "django_htmx",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "dsmart_web",
    "evaluation",
    "conversations",
    "memory",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "dsmart_web.plain_text.PlainTextMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "dsmart_web.scope_of_requests.ScopeMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "dsmart_web.acting.acting_middleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "dsmart_web.urls"
ASGI_APPLICATION = "dsmart_web.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]

# The embedded server listens on a Unix socket in a short path of its own (socket paths are limited to 107 bytes).
EMBEDDED_POSTGRES_HOME = DSMART_HOME / "postgres"
EMBEDDED_POSTGRES_SOCKETS = Path(tempfile.gettempdir()) / (
    "dsmart-" + hashlib.sha256(str(DSMART_HOME).encode()).hexdigest()[:12]
)
if DATABASE_URL:
    DATABASES = {"default": environment.database(DATABASE_URL)}
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": str(EMBEDDED_POSTGRES_SOCKETS),
            "PORT": "5432",
            "NAME": "dsmart",
            "USER": "dsmart",
            "OPTIONS": {"passfile": str(EMBEDDED_POSTGRES_HOME / "pgpass")},
            "CONN_MAX_AGE": 600,
            "CONN_HEALTH_CHECKS": True,
        }
    }

# A host that does not answer is away, not slow: connecting ends, and so does waiting for what no network brings.
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    **DATABASES["default"].get("OPTIONS", {}),
}
# Statements see the rows of the spaces that the context says.
DATABASES["default"]["ENGINE"] = "memory.adapters.row_security"
# pgvector filters after its index scan; without this a space would silently get fewer sentences than it has.
# The disks of today read anywhere at the same cost: a planner that does not know that sorts thousands of rows rather than
# follow an index that is in order already.
DATABASES["default"]["OPTIONS"]["options"] = "-c hnsw.iterative_scan=strict_order -c random_page_cost=1.1"

if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL]},
        }
    }
else:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "dsmart_web.embedded.channel_layer.LoopSafeChannelLayer",
            "CONFIG": {"capacity": 10_000},
        }
    }

# Counts of requests and sign-in attempts: shared by all hosts where there is a Redis server.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
# The in-memory broker is polled; its usual second would be felt as the delay of every reply.
CELERY_BROKER_TRANSPORT_OPTIONS = {} if REDIS_URL else {"polling_interval": 0.01}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_DEFAULT_QUEUE = "maintenance"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
# Whoever bears it may read the metrics; without it administrators alone may.
DSMART_METRICS_TOKEN = environment.text("DSMART_METRICS_TOKEN")
DSMART_OWNER = environment.text("DSMART_OWNER", "owner")
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "talk"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
TIME_ZONE = environment.time_zone("DSMART_TIME_ZONE", "UTC")
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DSMART_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = BEHIND_HTTPS
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "object-src": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "memory.api.authentication.DigestTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "dsmart_web.token_scopes.TokenScope",
    ],
    "DEFAULT_PARSER_CLASSES": ["memory.api.parsing.BoundedJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "memory.api.refusals.answered",
    "DEFAULT_PAGINATION_CLASS": "memory.api.pagination.NewestFirst",
    "PAGE_SIZE": 50,
    "DEFAULT_SCHEMA_CLASS": "dsmart_web.token_schema.ScopedSchema",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "600/min"},
}
SPECTACULAR_SETTINGS = {
    "TITLE": "D-SMART web",
    "VERSION": PRODUCT_VERSION,
    "DESCRIPTION": "Spaces hold what is remembered; conversations talk over one. Whatever is not yours is not found.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "ENUM_NAME_OVERRIDES": {
        "ElementKind": "memory.models.semantic_state.KINDS",
        "ElementStatus": "memory.models.semantic_state.STATUSES",
        "RoundMaintenance": "memory.models.MaintenanceState",
        "ReplyStateName": "conversations.models.ReplyState",
        "RunKindName": "evaluation.models.RunKind",
        "RunStateName": "evaluation.models.RunState",
        "RunItemStateName": "evaluation.models.ItemState",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# Engines: what plays the model's roles. `builtin`, `http:<model>`, `transformers:<path or hub id>`, `graph:<path>`.
DSMART_ENGINE = environment.text("DSMART_ENGINE", "builtin")
# How a conversation answers that chose no way of its own. `auto` searches where rules do it, which takes milliseconds; by a
# language model a search takes many times as long as a reply.
DSMART_RESPONDER = environment.one_of(
    "DSMART_RESPONDER", "auto", "graph", "d_smart", "d_smart_no_tree", "d_smart_no_memory", "goal_mem", "slsm", "base"
)
# What a search for a reply may take, and from which value (in [0, 1]) an answer that leads its level ends it; 0 is no limit.
DSMART_REASONING_CALLS = environment.whole_limit("DSMART_REASONING_CALLS", 30)
DSMART_REASONING_TOKENS = environment.whole_limit("DSMART_REASONING_TOKENS")
DSMART_REASONING_SECONDS = environment.limit("DSMART_REASONING_SECONDS", 60)
DSMART_REASONING_ENOUGH = environment.limit("DSMART_REASONING_ENOUGH", 0.9)
if (DSMART_REASONING_ENOUGH or 0) > 1:
    raise ImproperlyConfigured(
        "DSMART_REASONING_ENOUGH is over 1. Set it to a number up to 1, or to 0 for no early end."
    )
# The memory that a proof looks into: a backbone over what was said.
DSMART_PROOF_MEMORY = environment.one_of(
    "DSMART_PROOF_MEMORY", "fused", "sentence_graph", "knowledge_graph", "bm25", "dense"
)
DSMART_EXTRA_ENGINES = environment.names("DSMART_EXTRA_ENGINES")
DSMART_HTTP_BASE_URL = environment.text("DSMART_HTTP_BASE_URL", "http://127.0.0.1:8000/v1")
DSMART_HTTP_API_KEY = environment.text("DSMART_HTTP_API_KEY")
DSMART_HTTP_TIMEOUT_S = environment.number("DSMART_HTTP_TIMEOUT_S", 60)
DSMART_HTTP_RETRIES = int(environment.number("DSMART_HTTP_RETRIES", 3))
DSMART_HTTP_CONCURRENCY = int(environment.number("DSMART_HTTP_CONCURRENCY", 16))
# Who adds engines on the settings page, and whether their addresses may be in private networks, this machine's included.
DSMART_ADD_ENGINES = environment.one_of("DSMART_ADD_ENGINES", "staff", "everybody")
DSMART_PRIVATE_ADDRESSES = environment.flag("DSMART_PRIVATE_ADDRESSES", not (DATABASE_URL or REDIS_URL))
DSMART_TRANSFORMERS_DEVICE = environment.text("DSMART_TRANSFORMERS_DEVICE", "auto")
DSMART_TRANSFORMERS_BATCH = int(environment.number("DSMART_TRANSFORMERS_BATCH", 16))
_PRETRAINED = BASE_DIR / "memory" / "pretrained"
DSMART_PARSER = environment.text("DSMART_PARSER", str(_PRETRAINED / "parser"))
DSMART_MODELS = DSMART_HOME / "models"
# What judges whether one text contradicts another: `built-in`, `off`, or the path or hub id of a cross-encoder.
DSMART_ENTAILMENT = environment.text("DSMART_ENTAILMENT", "built-in")
DSMART_ENTAILMENT_WEIGHTS = _PRETRAINED / "entailment"
DSMART_MESSAGE_READER = environment.text("DSMART_MESSAGE_READER", str(_PRETRAINED / "message_reader"))
DSMART_ANSWER_READER = environment.text("DSMART_ANSWER_READER", str(_PRETRAINED / "answer_reader"))
DSMART_QUESTION_READER = environment.text("DSMART_QUESTION_READER", str(_PRETRAINED / "question_reader"))
DSMART_REFERENCE_READER = environment.text("DSMART_REFERENCE_READER", str(_PRETRAINED / "reference_reader"))
DSMART_TRIPLE_SELECTOR = environment.text("DSMART_TRIPLE_SELECTOR", str(_PRETRAINED / "triple_selector"))
DSMART_EVIDENCE_READER = environment.text("DSMART_EVIDENCE_READER", str(_PRETRAINED / "evidence_reader"))
DSMART_CHANGE_JUDGE = environment.text("DSMART_CHANGE_JUDGE", str(_PRETRAINED / "change_judge"))
# What reads the first passages that `fused` finds again: the path or hub id of a cross-encoder, or nothing.
DSMART_RELEVANCE = environment.text("DSMART_RELEVANCE")
# Whether every reply is scored against what was said before it, and how the history is read.
DSMART_SCORES = environment.flag("DSMART_SCORES", True)
DSMART_SCORE_STRATEGY = environment.one_of("DSMART_SCORE_STRATEGY", "strongest_sentence", "whole_history")
# Who plays a role instead of whom the engine names: "extract_facts=amrlib, detect_conflicts=whole_graph". `manage.py
# engines` shows the roles; the registry checks the names.
DSMART_ROLES = environment.pairs("DSMART_ROLES")
if DSMART_ROLES.get("score_relevance") == "learned" and not DSMART_RELEVANCE:
    raise ImproperlyConfigured("A model scores relevance. Set DSMART_RELEVANCE to its path or hub id.")
# Facts by way of Abstract Meaning Representation, the paper's path, instead of the engine's own reading.
DSMART_AMR = environment.one_of("DSMART_AMR", "off", "http", "amrlib", "prompted")
DSMART_AMR_URL = environment.text("DSMART_AMR_URL")
if (DSMART_AMR == "http" or DSMART_ROLES.get("extract_facts") == "amr_http") and not DSMART_AMR_URL:
    raise ImproperlyConfigured("Facts are read by an AMR service. Set DSMART_AMR_URL to its address.")
DSMART_AMR_TIMEOUT_S = environment.number("DSMART_AMR_TIMEOUT_S", 60)
DSMART_AMR_MODEL = environment.text("DSMART_AMR_MODEL")
# What a language model is shown when it looks for conflicts: `candidates`, or the paper's `whole_graph`.
DSMART_CONFLICTS = environment.one_of("DSMART_CONFLICTS", "candidates", "whole_graph")
# Where WordNet's files may be: the chosen folder alone, or what the start fetched, or what the system has.
DSMART_WORDNET_FOLDERS = (
    [Path(environment.text("DSMART_WORDNET"))]
    if environment.text("DSMART_WORDNET")
    else [DSMART_HOME / "wordnet", Path("/usr/share/wordnet")]
)

# Limits.
DSMART_MESSAGE_LIMIT = int(environment.number("DSMART_MESSAGE_LIMIT", 20_000))
# How many messages of one person may wait for a reply, and how many replies of one person are written at once.
DSMART_WAITING_MESSAGES = int(environment.number("DSMART_WAITING_MESSAGES", 100))
DSMART_REPLIES_A_PERSON = max(1, int(environment.number("DSMART_REPLIES_A_PERSON", 2)))
# How long a program that asks for no stream waits for a reply.
DSMART_DOOR_WAIT_S = environment.number("DSMART_DOOR_WAIT_S", 300)
DSMART_BENCHMARKS = Path(environment.text("DSMART_BENCHMARKS")) if environment.text("DSMART_BENCHMARKS") else None
# What a memory may hold where administrators gave it no limits of its own: turns, bytes of words, and imports a day.
DSMART_QUOTA_TURNS = environment.whole_limit("DSMART_QUOTA_TURNS") or 0
DSMART_QUOTA_BYTES = environment.whole_limit("DSMART_QUOTA_BYTES") or 0
DSMART_QUOTA_IMPORTS = environment.whole_limit("DSMART_QUOTA_IMPORTS") or 0
DSMART_IMPORT_MB = environment.number("DSMART_IMPORT_MB", 64)
DSMART_CHATS_MB = environment.number("DSMART_CHATS_MB", 512)
DSMART_IMPORT_TRIPLES = int(environment.number("DSMART_IMPORT_TRIPLES", 500_000))
DSMART_LEASE_S = environment.number("DSMART_LEASE_S", 15)
DSMART_MEMORY_WAIT_S = environment.number("DSMART_MEMORY_WAIT_S", 5)
# How much memory a process keeps sentence graphs in; the one in use stays whatever its size.
DSMART_SENTENCE_GRAPHS_MB = environment.number("DSMART_SENTENCE_GRAPHS_MB", 512)
# After how many hours a graph that changed is checked as a whole; 0 never does.
DSMART_CHECK_HOURS = environment.number("DSMART_CHECK_HOURS", 24)

DSMART_LOG_FORMAT = environment.one_of("DSMART_LOG_FORMAT", "line", "json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "dsmart_web.logs.LineFormatter"},
        "json": {"()": "dsmart_web.logs.JsonFormatter"},
    },
    "handlers": {"stderr": {"class": "dsmart_web.logs.QuietHandler", "formatter": DSMART_LOG_FORMAT}},
    "root": {"handlers": ["stderr"], "level": environment.log_level("DSMART_LOG_LEVEL", "WARNING")},
    # Django's own handlers write past ours.
    "loggers": {name: {"handlers": [], "propagate": True} for name in ("django", "django.server")},
}
