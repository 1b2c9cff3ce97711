"""The command `loom`: its commands, and what each error means to a script.

Exit codes: 0 done; 1 refused or not found; 2 the call itself is wrong; 3 the store, or
the embedder, cannot serve it.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from loom.errors import EmbeddingFailed, InvalidRequest, LoomError, StorageError
from loom.faces.cli.blacklist import blacklist
from loom.faces.cli.memory import delete, get, history, list_, pin, restore, search, set_
from loom.faces.cli.quickstart import quickstart
from loom.faces.cli.transfer import export, import_
from loom.faces.cli.upkeep import reembed, stats

__all__ = ["exit_code_of", "loom", "run"]

_DONE, _REFUSED, _USAGE, _STORE, _STOPPED = 0, 1, 2, 3, 130


@click.group(
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
    pin,
    delete,
    restore,
    blacklist,
    import_,
    export,
    stats,
    reembed,
):
    loom.add_command(command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. An error is one or two sentences on stderr."""
    try:
        code = loom.main(args=arguments, prog_name="loom", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _USAGE
    except click.Abort:
        click.echo("loom: stopped.", err=True)
        return _STOPPED
    except LoomError as error:
        click.echo(f"loom: {error.message}", err=True)
        return exit_code_of(error)
    except BrokenPipeError:
        return _STOPPED
    except OSError as error:
        click.echo(f"loom: {error.strerror or error}: {error.filename or ''}", err=True)
        return _STORE
    # What a command ends with by `Exit` comes back as a number; else it is None.
    return code if isinstance(code, int) else _DONE


def exit_code_of(error: LoomError) -> int:
    """What a script is told of an error."""
    if isinstance(error, InvalidRequest):
        return _USAGE
    if isinstance(error, StorageError | EmbeddingFailed):
        return _STORE
    return _REFUSED
