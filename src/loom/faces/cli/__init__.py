"""The command line, for the extra `cli`. Its packages are imported only when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code.

    Args:
        arguments: without the program's name; None takes the process's own.
    """
    try:
        import click  # noqa: F401, PLC0415 - an extra that may be missing
        import rich  # noqa: F401, PLC0415 - as above
    except ImportError:
        sys.stderr.write(
            "The command line needs two more packages. Install them with: "
            "pip install 'loom-agent-memory[cli]'\n"
        )
        raise SystemExit(_USAGE) from None
    from loom.faces.cli.app import loom  # noqa: PLC0415 - needs the extra

    loom.main(args=arguments, prog_name="loom")
