"""The audit log: every change by an operator leaves a line that cannot be deleted."""

import getpass
import json
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from server import cli
from server.accounts.blocks import report, reports
from server.clock import SECOND, clock
from server.play.commits import commit_of, load, record
from server.play.events import GameAbandoned
from server.play.table import OVER
from server.play.talk.motd import notice
from server.store.tables import Audit, Incoming, db
from tests.support.commands import ask, run
from tests.support.games import game_of, person

KEPT = Path(__file__).parents[1] / "data" / "games"


@pytest.fixture(autouse=True)
def settings(commands: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STERNENPOST_SHELF", str(tmp_path))
    monkeypatch.delenv("SUDO_USER", raising=False)
    newest = db.session.scalar(text("SELECT max(at) FROM audit"))
    if newest and newest > clock.now():  # a test with a clock ahead may have left it
        clock.forward(newest - clock.now() + SECOND)


def number() -> int:
    db.session.rollback()
    return int(db.session.scalar(text("SELECT count(*) FROM audit")))


DEEDS = [
    (["ban", "ada@example.org", "--reason", "Insults"], {"player": "ADA", "reason": "Insults"}),
    (["unban", "ada@example.org"], {"player": "ADA"}),
    (["player-token", "ada@example.org"], {"email": "ADA"}),
    (["player-token", "nobody@example.org"], {"email": "***"}),
    (["motd", "Back at noon."], {"text": "Back at noon."}),
    (["motd", "--remove"], {"remove": True}),
    (["close", "sign-ups", "mail-in"], {"what": "sign-ups mail-in"}),
    (["open", "sign-ups", "mail-in"], {"what": "sign-ups mail-in"}),
    (["rotate-secret", "--grace", "P2D"], {"grace": "2 days, 0:00:00"}),
    (["rebuild", "GAME"], {"game_id": "GAME"}),
    (["delete-player", "ada@example.org"], {"player": "ADA"}),
    (["reports", "--settle", "REPORT"], {"settle": "REPORT", "limit": 50}),
    (["shelve", "--older-than", "P300D"], {"over_for": "300 days, 0:00:00"}),
]


@pytest.mark.parametrize(("words", "arguments"), DEEDS, ids=[" ".join(words) for words, _ in DEEDS])
def test_a_command_that_changes_something_is_recorded(words: list[str], arguments: dict[str, object]) -> None:
    ada = person("ada")
    ben = person("ben")
    names = {"ADA": str(ada), "GAME": str(game_of(ada, ben, person("cleo")))}
    report(ben, ada, "She insults us.", None)
    names["REPORT"] = str(reports(settled=False, limit=1)[0]["id"])
    before, typed = number(), [names.get(word, word) for word in words]
    run(*typed, "--dry-run")
    assert number() == before
    said = run(*typed)
    [change] = json.loads(run("audit", "--limit", 1, "--json"))
    assert number() == before + 1
    assert (change["who"], change["command"]) == (getpass.getuser(), words[0])
    assert change["arguments"] == {name: names.get(value, value) for name, value in arguments.items()}
    assert "ada@" not in str(change) and not [
        word for word in said.split() if word.startswith("sp_") and word in str(change)
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "GAME"],
        ["replay", "GAME", "--seat", "0"],
        ["games", "show", "GAME"],
        ["games", "show", "GAME", "--json"],
        ["export", "GAME", "DIR"],
        ["export", "--player", "ada@example.org", "DIR"],
        ["export", "--all", "DIR"],
        ["players", "show", "ada@example.org"],
        ["mails", "list"],
        ["mails", "show", "MAIL"],
    ],
    ids=" ".join,
)
def test_a_command_that_reveals_secrets_of_a_running_game_is_recorded(words: list[str], tmp_path: Path) -> None:
    ada = person("ada")
    game = game_of(ada, person("ben"), person("cleo"))
    mail = uuid4()
    row = {"game_id": game, "mail_id": mail, "seat": 0, "turn": 1, "raw": b"From: ada@example.org", "asks": ""}
    db.session.add(Incoming(**row, arrived_at=clock.now(), due_at=None, tries=9, fault="x"))
    db.session.commit()
    before, names = number(), {"GAME": str(game), "DIR": str(tmp_path), "MAIL": str(mail)}
    run(*(names.get(word, word) for word in words))
    [reading] = json.loads(run("audit", "--limit", 1, "--json"))
    assert number() == before + 1
    assert reading["command"] == " ".join(words[: 2 if words[0] in ("games", "players", "mails") else 1])
    named = {"GAME": str(game), "MAIL": str(mail), "ada@example.org": str(ada)}
    assert all(named[word] in str(reading["arguments"]) for word in words if word in named)
    assert "ada@" not in str(reading)


@pytest.mark.parametrize("words", [["replay", "GAME"], ["games", "show", "GAME"], ["export", "GAME", "DIR"]])
def test_reading_a_finished_game_is_not_recorded(words: list[str], tmp_path: Path) -> None:
    game = game_of(*(person(name) for name in ("ada", "ben", "cleo")))
    assert record(commit_of(load(game), [GameAbandoned(0)], clock.now()))
    db.session.commit()
    assert load(game).table.status in OVER
    before, names = number(), {"GAME": str(game), "DIR": str(tmp_path)}
    run(*(names.get(word, word) for word in words))
    assert number() == before


def test_a_dry_run_of_an_export_is_not_recorded(tmp_path: Path) -> None:
    game = game_of(*(person(name) for name in ("ada", "ben", "cleo")))
    before = number()
    run("export", game, tmp_path, "--dry-run")
    assert number() == before


def test_every_command_with_a_dry_run_is_tested_here() -> None:
    dry = {name for name, it in cli.main.commands.items() if "dry_run" in {option.name for option in it.params}}
    by_hand = {"import", "migrate", "export", "spread"}  # two are below; one only copies; one needs a Citus
    assert {words[0] for words, _ in DEEDS} == dry - by_hand


def test_imports_and_migrations_are_recorded(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("DROP OWNED BY sternenpost_app")
        run("migrate", "--dry-run")
        run("migrate")
        run("migrate")  # nothing to do and nothing stored
        assert owner.execute("SELECT command FROM audit").fetchall() == [("migrate",)]
        archive = next(iter(sorted(KEPT.rglob("*.json"))))
        if ask("import", archive).exit_code == 0:
            found = owner.execute("SELECT arguments FROM audit WHERE command = 'import'").fetchall()
            assert found == [({"archive": archive.name},)]


def test_the_user_who_called_sudo_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "cleo")
    run("motd", "Back at noon.")
    assert f"cleo as {getpass.getuser()}" in run("audit", "--limit", 1)


@pytest.mark.parametrize("change", ["DELETE FROM audit", "UPDATE audit SET who = ''", "TRUNCATE audit"])
def test_even_the_owner_cannot_change_the_audit_log(shared_url: str, change: str) -> None:
    run("motd", "Back at noon.")
    with pytest.raises(ProgrammingError, match="permission denied"):
        db.session.execute(text(change))
    db.session.rollback()
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"), psycopg.connect(shared_url) as owner:
        owner.execute(change)


def test_the_audit_command_lists_the_newest_entry_first(app: Flask) -> None:
    for words in ("one", "two"):
        run("motd", words)
    shown = run("audit", "--limit", 2).splitlines()
    assert [line.split()[0] for line in shown[:1]] == ["at"]
    assert '"two"' in shown[1] and '"one"' in shown[2]
    assert db.session.query(Audit).filter(Audit.at > clock.now()).count() == 0
    assert notice()
