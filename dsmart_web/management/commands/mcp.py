"""`manage.py mcp`: the memory as tools of a program on this machine, by standard input and output."""

import sys
from argparse import ArgumentParser
from contextlib import redirect_stdout
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dsmart_web.embedded import preparation
from dsmart_web.embedded.errors import EmbeddedServiceError
from memory.adapters.row_security.scope import everything


class Command(BaseCommand):
    help = "Serve the memory by the Model Context Protocol over standard input and output, until the input ends."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", default="", metavar="NAME", help="for whom (default: the owner)")
        parser.add_argument(
            "--space", default="", metavar="NAME", help="the name or number of a space (default: the person's own)"
        )

    def handle(self, *, user: str, space: str, **_: Any) -> None:
        try:
            # The standard output carries the protocol and nothing else.
            with redirect_stdout(sys.stderr), preparation.product_ready():
                with everything():
                    caller = _caller(user, space)
                with redirect_stdout(sys.__stdout__):
                    _serve(caller)
        except EmbeddedServiceError as error:
            raise CommandError(str(error)) from error


def _caller(user: str, space: str) -> Any:
    from django.contrib.auth.models import User

    from conversations.core.errors import SpaceUnknown
    from conversations.doors.callers import Caller, own_grant, space_meant
    from memory.services.accounts import owner_account

    person = User.objects.filter(username=user, is_active=True).first() if user else owner_account()
    if person is None:
        raise CommandError(
            f"There is no account {user!r}. Make one with manage.py sign_in_link --user {user} --create."
        )
    grant = own_grant(person)
    try:
        return Caller(grant, space_meant(grant, space))
    except SpaceUnknown as error:
        raise CommandError(str(error)) from error


def _serve(caller: Any) -> None:
    import anyio

    from conversations.doors.mcp.server import acting, memory_server
    from conversations.doors.mcp.tools import Tools

    acting.set(Tools(caller, reads_itself=True))
    anyio.run(memory_server().run_stdio_async)
