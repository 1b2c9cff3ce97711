"""The command `loom`: its commands, and what each error means to a script.

Exit codes: 0 done; 1 refused or not found; 2 the call itself is wrong; 3 the store, or
the embedder, cannot serve it.
"""

from __future__ import annotations

from typing import IO, Any

import click

from loom.errors import EmbeddingFailed, InvalidRequest, LoomError, StorageError
from loom.faces.cli.applying import apply_
from loom.faces.cli.blacklist import blacklist
from loom.faces.cli.deciding import conflicts, decide, reject
from loom.faces.cli.erasure import erasure
from loom.faces.cli.history import history, redact, timeline
from loom.faces.cli.memory import delete, get, list_, pin, restore, search, set_
from loom.faces.cli.namespaces import calibration, namespace
from loom.faces.cli.quickstart import quickstart
from loom.faces.cli.review import review
from loom.faces.cli.snapshots import restore_namespace, snapshot
from loom.faces.cli.transfer import export, import_
from loom.faces.cli.upkeep import reembed, stats

__all__ = ["exit_code_of", "loom"]

_REFUSED, _USAGE, _STORE = 1, 2, 3


class _Told(click.ClickException):
    """An error as one or two sentences on stderr and an exit code."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        vars(self)["exit_code"] = exit_code  # declared as a class variable

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it."""
        click.echo(f"loom: {self.message}", err=file is None, file=file)


class _Commands(click.Group):
    """A group that tells errors instead of tracing them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except LoomError as error:
            raise _Told(error.message, exit_code_of(error)) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            said = f"{error.strerror or 'the file cannot be used'}: {error.filename or ''}"
            missing = isinstance(error, FileNotFoundError | IsADirectoryError)
            raise _Told(said, _USAGE if missing else _STORE) from error


def exit_code_of(error: LoomError) -> int:
    """What a script is told of an error."""
    if isinstance(error, InvalidRequest):
        return _USAGE
    if isinstance(error, StorageError | EmbeddingFailed):
        return _STORE
    return _REFUSED


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=(
        "Exit codes: 0 done, 1 refused or not found, 2 a malformed call, 3 the store or "
        "the embedder cannot serve it."
    ),
)
@click.version_option(package_name="loom-agent-memory", prog_name="loom")
def loom() -> None:
    """Memory for agents: judged writes, full history, searches that may abstain.

    Start with `loom quickstart`. Each command says more with --help.
    """


for command in (
    quickstart,
    set_,
    get,
    search,
    list_,
    history,
    redact,
    pin,
    delete,
    restore,
    review,
    conflicts,
    decide,
    reject,
    apply_,
    blacklist,
    import_,
    export,
    namespace,
    erasure,
    calibration,
    stats,
    reembed,
):
    loom.add_command(command)
for command in (snapshot, restore_namespace, timeline):
    namespace.add_command(command)
