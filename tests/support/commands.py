"""The command `sternenpost`, run in this process."""

from click.testing import CliRunner, Result

from server import cli
from server.store.tables import db


def ask(*words: object, **environment: str | None) -> Result:
    return CliRunner().invoke(cli.main, [str(word) for word in words], env=environment)


def run(*words: object, status: int = 0) -> str:
    """Return what a command prints before it exits with this status. The test then reads what the command has written."""
    result = ask(*words)
    db.session.rollback()
    db.session.expire_all()
    assert result.exit_code == status, result.output
    return result.stdout


def found_by(doctor: Result) -> dict[str, str]:
    """Return what `sternenpost doctor` has said about each part."""
    assert doctor.stdout, doctor
    return dict(line.split(": ", 1) for line in doctor.stdout.splitlines())
