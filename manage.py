#!/usr/bin/env python3
"""The command line of D-SMART web."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dsmart_web.settings")
    from dsmart_web.embedded.commands import execute

    execute(sys.argv)


if __name__ == "__main__":
    main()
