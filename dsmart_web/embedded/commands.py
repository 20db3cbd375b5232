"""Runs a management command, with the database that it needs around it.

A command of the product may say `needs_database = False`; it then runs without. Every other one finds the database
running, its tables up to date and the sentence encoder in place, so that `manage.py ask` works before the first `serve`.
Who may run commands may read the database: the product's see the rows of all spaces, Django's own are made as its owner.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line, get_commands, load_command_class

from dsmart_web.embedded.errors import EmbeddedServiceError

PRODUCT_APPS = {"memory", "conversations", "evaluation"}
DJANGO_COMMANDS_WITH_DATABASE = {
    "changepassword", "clearsessions", "createsuperuser", "dbshell", "dumpdata", "flush", "inspectdb",
    "loaddata", "migrate", "runserver", "shell", "showmigrations", "sqlflush", "sqlmigrate", "sqlsequencereset",
}  # fmt: skip


def execute(argv: list[str]) -> None:
    """Run the command line. What keeps it from running is said in one line on standard error, with exit status 1."""
    try:
        with _around(argv):
            execute_from_command_line(argv)
    except (EmbeddedServiceError, ImproperlyConfigured) as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _around(argv: list[str]) -> AbstractContextManager[None]:
    import django

    # What is imported stays: looking through it for garbage is a tenth of a start.
    gc.disable()
    django.setup()
    gc.freeze()
    gc.enable()
    from dsmart_web.embedded.database import database_running
    from dsmart_web.embedded.preparation import product_ready
    from memory.adapters.row_security.scope import as_owner, everything

    name = argv[1] if len(argv) > 1 else "help"
    if {"-h", "--help", "--version"} & set(argv):
        return nullcontext()
    app = get_commands().get(name)
    if app in PRODUCT_APPS:
        needs_database = getattr(load_command_class(app, name), "needs_database", True)
        return both(product_ready(), everything()) if needs_database else nullcontext()
    return both(database_running(), as_owner()) if name in DJANGO_COMMANDS_WITH_DATABASE else nullcontext()


@contextmanager
def both(first: AbstractContextManager[None], then: AbstractContextManager[None]) -> Iterator[None]:
    with first, then:
        yield
