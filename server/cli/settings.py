"""The command that lists the settings."""

import click

from server.cli.common import example, read_settings


@click.command(epilog=example("config"))
def config() -> None:
    """List all settings with their defaults and values."""
    for name, default, value, meaning in read_settings().listed():
        click.echo(f"{name}={value or '(unset)'}\n    {meaning}" + (f" Default: {default}" if default else ""))
