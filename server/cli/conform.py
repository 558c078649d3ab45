"""The command that checks whether a server keeps its API guarantees."""

from collections.abc import Sequence
from importlib.util import find_spec
from uuid import uuid4

import click

from server.cli.common import example, read_settings


@click.command(
    epilog=example(
        "conform http://127.0.0.1:8000", "conform https://stars.example --token TOKEN1 --token TOKEN2 --token TOKEN3"
    )
)
@click.argument("url")
@click.option(
    "--token",
    "tokens",
    multiple=True,
    help="Access token of an account. Give this option three times, for three accounts. A sandbox needs no tokens.",
)
@click.option("--seed", default="", help="Seed for the moves: the same text always produces the same moves.")
def conform(url: str, tokens: Sequence[str], seed: str) -> None:
    """Check whether a server keeps its API guarantees.

    The command plays some games on that server and prints a line for each guarantee (Test Anything Protocol, version
    14). Exit status 1 if a guarantee is broken.
    """
    if find_spec("jsonschema_rs") is None:  # servers do not need it
        raise click.ClickException("This needs one more package: pip install 'jsonschema-rs>=0.60'.")
    from server.app import create_app
    from server.conform.checks import CHECKS, PEOPLE, Site, run
    from server.conform.exchange import Person, by_http

    send = by_http(url)
    try:
        found = tokens or [
            Person(send, None, []).post("/sandbox/token", {"name": name}).json["token"]
            for name in ("you", "ada", "ben")
        ]
    except (OSError, ValueError, KeyError) as error:
        raise click.ClickException(
            f"The server is not a sandbox that issues tokens. Give three tokens with --token ({error})."
        ) from None
    if len(found) < PEOPLE:
        raise click.UsageError(f"Give the tokens of {PEOPLE} accounts.")
    document = create_app(read_settings()).extensions["document"].to_dict()
    click.echo(f"TAP version 14\n1..{len(CHECKS)}")
    broken = 0
    for number, (sentence, flaw) in enumerate(run(Site(send, found, document, seed or str(uuid4()))), 1):
        broken += flaw is not None
        click.echo(f"{'ok' if flaw is None else 'not ok'} {number} - {sentence}")
        if flaw is not None:
            click.echo(f"  ---\n  message: {flaw!r}\n  ...")
    if broken:
        raise click.ClickException(f"{broken} of {len(CHECKS)} guarantees are broken.")
