"""`python -m dsmart_web.probe`: asks the web server of this container, or its worker, whether it works.

Exit status 0 where it does, and 1 with a line that says what is wrong.
"""

import socket
import sys
from http.client import HTTPConnection, HTTPException

from dsmart_web import environment

TIMEOUT_S = 8
PORT = 8080


def web_answers() -> str:
    """Return what keeps the web server from working, "" where it works. It is asked under a name that it answers to."""
    name = environment.names("DSMART_HOSTS", "localhost")[0]
    connection = HTTPConnection("127.0.0.1", PORT, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/healthz", headers={"Host": name.lstrip(".*") or "localhost"})
        answer = connection.getresponse()
        said = answer.read(200).decode(errors="replace").strip()
    except (OSError, HTTPException) as error:
        return f"The web server does not answer: {error}"
    finally:
        connection.close()
    return "" if answer.status == 200 else f"The web server answers {answer.status}: {said}"


def worker_answers() -> str:
    """Return what keeps the worker of this host from working, "" where it works."""
    from kombu.exceptions import OperationalError

    from dsmart_web.celery import app

    try:
        replies = app.control.ping(destination=[f"celery@{socket.gethostname()}"], timeout=TIMEOUT_S)
    except (OperationalError, OSError) as error:
        return f"The broker cannot be reached: {error}"
    return "" if replies else "The worker does not answer."


def main(arguments: list[str]) -> int:
    match arguments:
        case []:
            fault = web_answers()
        case ["--worker"]:
            fault = worker_answers()
        case _:
            fault = "Usage: python -m dsmart_web.probe [--worker]"
    if fault:
        sys.stderr.write(f"{fault}\n")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
