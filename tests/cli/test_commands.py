"""Operators' commands: players, games, exports, bans, deletions and the message of the day."""

import json
import re
import stat
from collections.abc import Iterator
from datetime import datetime
from email import policy
from email.parser import BytesParser
from html import unescape
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from flask import Flask, current_app
from sqlalchemy import event, func, select

from server import cli
from server.accounts.blocks import report
from server.accounts.players import change_profile, player_token
from server.accounts.sign_in import begin_sign_in, redeem
from server.clock import NOTHING, clock
from server.config import VARIABLES, Settings
from server.errors import BadToken, Banned, NotFound
from server.operations import delete_player
from server.operations.archives import archive_of
from server.play import views
from server.play.commits import load, whole_log
from server.play.mail.mail_in import reply_word, take_mail
from server.play.mail.postmaster import kept_mails, take_postmaster_mail
from server.play.seating import calendar_feed
from server.play.seating.calendar_feed import new_feed
from server.play.seating.games import open_game
from server.play.seating.seats import come_back, give_up_seats, invite, return_word, take_seat
from server.play.talk.chat import messages, say
from server.play.timing.sandbox_clock import move_clock
from server.play.timing.sweep import wake_due
from server.play.turns.turn_links import caller, turn_word
from server.play.votes import vote
from server.post.delivery import PostOffice
from server.post.incoming import answering, providers
from server.post.incoming.answering import deal_with_mails
from server.store import migrate
from server.store.tables import Audit, Delivery, Token, Webhook, db
from server.store.tables import LetterRow as GameLetter
from server.web import server
from server.webhooks.subscriptions import Subscription, make_webhook
from tests.post.office import a_mail, arrives
from tests.post.reader import composed
from tests.support.commands import ask, run
from tests.support.games import DAY, HOUR, ME, OPEN, game_of, happened, later, moves_on, person, wanted
from tests.support.handbook import block
from tests.support.live_server import FOR_METRICS, Mail

ADA, BEN = "ada@example.org", "ben@example.org"


pytestmark = pytest.mark.usefixtures("commands")


@pytest.fixture
def ada() -> UUID:
    return person("ada")


@pytest.fixture
def ben() -> UUID:
    return person("ben")


@pytest.fixture
def game(ada: UUID, ben: UUID) -> UUID:
    return game_of(ada, ben, bots=1, title="Autumn sky")


def everything() -> dict[str, int]:
    tables = db.metadata.sorted_tables
    return {it.name: db.session.scalars(select(func.count()).select_from(it)).one() for it in tables}


def rows(table: type, condition: object) -> int:
    return db.session.scalars(select(func.count()).select_from(table).where(condition)).one()


def test_a_report_is_listed_until_it_is_settled(ada: UUID, ben: UUID) -> None:
    report(ada, ben, "Insults at the table", None)
    (waiting,) = json.loads(run("reports", "--json"))
    assert waiting["about"] == f"ben <{BEN}>"
    run("reports", "--settle", waiting["id"], "--dry-run")
    assert "Insults at the table" in run("reports")
    run("reports", "--settle", waiting["id"])
    assert run("reports") == "None.\n"
    assert "Insults at the table" in run("reports", "--all")
    assert "This report doesn't exist or is already settled." in ask("reports", "--settle", waiting["id"]).output


# Every command


def commands() -> Iterator[list[str]]:
    for name, command in cli.main.commands.items():
        for sub in getattr(command, "commands", {"": None}):
            yield [name, sub] if sub else [name]


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_has_a_description_and_an_example(words: list[str]) -> None:
    told = run(*words, "--help")
    assert "For example:" in told
    for example in re.findall(r"^  +sternenpost (.*)$", told, re.MULTILINE):
        assert example.split()[: len(words)] == words


def test_command_lists_do_not_truncate_sentences() -> None:
    for words in ([], ["games"], ["players"]):
        listed = run(*words, "--help").partition("\nCommands:\n")[2].splitlines()
        assert listed and not [line for line in listed if line.endswith("...")]


@pytest.mark.parametrize(
    "words", [["games", "show", "x"], ["ban"], ["export", "there"], ["games", "list", "--older-than", "x"]]
)
def test_an_invalid_command_exits_with_status_2(words: list[str]) -> None:
    assert ask(*words).exit_code == 2


@pytest.mark.parametrize(
    "words", [["players", "show", ADA], ["ban", ADA], ["delete-player", ADA], ["games", "show", UUID(int=7)]]
)
def test_a_missing_object_is_reported_in_one_sentence_with_status_1(words: list[object]) -> None:
    result = ask(*words)
    assert result.exit_code == 1
    assert re.fullmatch(r"Error: (There is no player called .*|Game not found)\.\n", result.stderr)


WRONG: list[list[str]] = [
    ["ban", ADA, "--until", "soon"],
    ["ban", ADA, "--until", "P9Y"],
    ["ban", ADA, "--until", "2020-01-01"],
    ["motd", "Hello", "--until", "tomorrow"],
    ["motd", "Hello", "--remove"],
    ["export", "there"],
    ["export", "x", "there"],
    ["export", str(UUID(int=7)), "there", "--all"],
    ["replay", str(UUID(int=7)), "--seat", "-1"],
    ["replay", str(UUID(int=7)), "--at", "-1"],
    ["player-token", "nobody"],
    ["shelve"],
    ["rotate-secret", "--grace", "long"],
    ["games", "list", "--older-than", "x"],
    ["games", "list", "--status", "x"],
    ["audit", "--limit", "0"],
    ["reports", "--settle", "x"],
    ["mails", "show", "x"],
    ["doctor", "--mail", "nobody"],
    ["doctor", "--mail", ADA, "--imap", "nowhere"],
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_invalid_arguments_are_rejected_while_the_database_is_down(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = ask(*words)
    monkeypatch.setenv("DATABASE_URL", "postgresql://stars:secret@127.0.0.1:1/stars")
    result = ask(*words)
    assert result.exit_code in (1, 2) and "database" not in result.output.lower()
    assert (result.exit_code, result.output) == (right.exit_code, right.output)


def test_a_missing_database_is_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://stars:secret@127.0.0.1:1/stars")
    result = ask("players", "list")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: The database: does not answer: ")
    assert "secret" not in result.output


def test_a_command_reports_that_the_database_has_not_answered_in_time(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a table is locked, or a commit waits for a replica that is away."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    with psycopg.connect(database_url, autocommit=True) as owner, psycopg.connect(database_url) as other:
        owner.execute(f"ALTER DATABASE {other.info.dbname} SET lock_timeout = '10ms'")
        other.execute("LOCK TABLE audit")
        result = ask("player-token", ADA)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: The database: has not answered in time")


def test_missing_migrations_are_reported_with_what_migrate_would_do(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    migrate.downgrade(database_url, "0023")
    with psycopg.connect(database_url) as owner:
        owner.execute("ALTER TABLE players RENAME locale TO language")  # as in an earlier release
    result = ask("players", "list")
    assert result.stderr == "Error: The database: the tables are not up to date: run `sternenpost migrate`\n"
    assert "  step 0024: What records a commit" in run("migrate", "--dry-run")
    with psycopg.connect(database_url) as owner:
        owner.execute("ALTER TABLE players RENAME language TO locale")
    run("migrate")
    assert run("players", "list") == "None.\n"


def test_tables_at_an_unknown_revision_are_reported_and_stay_unchanged(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    with psycopg.connect(database_url) as owner:
        owner.execute("UPDATE alembic_version SET version_num = '0009'")
    for words in (["migrate", "--dry-run"], ["migrate"]):
        result = ask(*words)
        assert (result.exit_code, result.stdout) == (1, "")
        assert re.fullmatch(r"Error: These tables are at step 0009, .*\. Start with an empty .*\.\n", result.stderr)
    with psycopg.connect(database_url) as owner:
        assert owner.execute("SELECT version_num FROM alembic_version").fetchall() == [("0009",)]


def test_tables_from_a_later_release_stay_unchanged(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    with psycopg.connect(database_url) as owner:
        owner.execute("UPDATE alembic_version SET version_num = '9999'")
        owner.execute("DROP FUNCTION record_commit")
    assert run("migrate") == "Done:\n  nothing\n"
    with psycopg.connect(database_url) as owner:
        assert owner.execute("SELECT to_regproc('record_commit')").fetchone() == (None,)


# Looking


def test_players_are_listed_newest_first_and_found_by_name_or_address(ada: UUID, ben: UUID) -> None:
    assert [line.split()[0] for line in run("players", "list").splitlines()] == ["email", BEN, ADA]
    assert [it["email"] for it in json.loads(run("players", "search", "BEN@", "--json"))] == [BEN]
    assert json.loads(run("players", "list", "--json", "--limit", 1))[0]["id"] == str(ben)
    assert run("players", "search", "%", status=1) == "None.\n"


def test_a_player_is_shown_with_tokens_webhooks_and_games_but_no_secrets(app: Flask, ada: UUID, game: UUID) -> None:
    made = make_webhook(ada, Subscription("https://stars.example/hook", ["your-turn"]), sandbox=False)
    told = run("players", "show", "ADA@example.org")
    for words in ("tokens:\n  name operator", "https://stars.example/hook", f"game_id {game}, title Autumn sky"):
        assert words in told
    assert made.secret not in told
    assert json.loads(run("players", "show", ada, "--json"))["email"] == ADA


def test_games_can_be_listed_by_status_or_age_or_only_if_overdue(ada: UUID, game: UUID) -> None:
    later(2 * DAY)
    young = open_game(ada, wanted(ME, OPEN, OPEN)).game_id

    def list_games(*words: object) -> list[str]:
        return [it["id"] for it in json.loads(run("games", "list", "--json", *words))]

    assert list_games() == [str(game), str(young)]
    assert list_games("--status", "open") == [str(young)]
    assert list_games("--older-than", "P1D") == [str(game)]
    assert list_games("--overdue") == [str(game)]
    assert f"{game}  sternenhimmel  running  1" in run("games", "list")


def test_a_game_is_shown_with_its_seats_due_times_and_queued_emails(game: UUID) -> None:
    shown = json.loads(run("games", "show", game, "--json"))
    assert [seat["kind"] for seat in shown["seats"]] == ["human", "human", "bot"]
    assert shown["seats"][0]["turn"] == 1
    assert [(it["kind"], it["seat"], it["tries"]) for it in shown["letters_waiting"]] == [("your-turn", 0, 0)]
    assert f"due_at {shown['seats'][0]['due_at'][:19]}" in run("games", "show", game)


def test_a_game_is_shown_as_text_at_any_version_and_for_any_seat(ada: UUID, game: UUID) -> None:
    moves_on(game, ada)
    told = run("replay", game)
    assert "The game started." in told
    assert "Autumn sky (Sternenhimmel), running, version 2" in told
    before = run("replay", game, "--at", 1)
    assert "version 1" in before
    assert len(before.splitlines()) < len(told.splitlines())
    assert run("replay", game, "--seat", 0) != told
    assert ask("replay", game, "--at", 99).exit_code == 1
    assert ask("replay", game, "--seat", 3).exit_code == 2


# Bans


def test_a_dry_run_of_a_ban_reports_its_effects_and_does_nothing(ada: UUID, game: UUID) -> None:
    before = everything()
    told = run("ban", ADA, "--until", "P7D", "--dry-run")
    assert told.startswith("Dry run: nothing was changed. This would happen:\n")
    assert f"seat 0 of game {game} (Autumn sky) is handed to a bot" in told
    assert everything() == before
    assert happened(game).count("seat-handed-over") == 0
    assert run("players", "list", "--banned") == "None.\n"


def test_a_banned_player_loses_tokens_seats_and_emails_and_cannot_return(app: Flask, ada: UUID, game: UUID) -> None:
    token, word, feed = player_token(ADA), return_word(game, 0), new_feed(ada)
    waiting = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    assert f"seat 0 of game {game} (Autumn sky) is handed to a bot" in run("ban", ADA, "--reason", "Insults.")
    assert happened(game)[-1] == "seat-handed-over"
    assert load(waiting).seats[0].kind == "open"
    with pytest.raises(Banned, match="You are banned from this server. Insults."):
        caller(token)
    with pytest.raises(Banned):
        come_back(word)
    with pytest.raises(NotFound):
        calendar_feed.feed(feed)
    office = PostOffice(app, None)  # type: ignore[arg-type]  # it has nothing to carry
    begin_sign_in(ADA, "en", None)
    office.deliver_due()
    office.wait()
    office.close(1)
    db.session.rollback()
    assert set(db.session.scalars(select(Delivery.result).where(Delivery.player_id == ada))) == {"dropped"}
    assert json.loads(run("players", "list", "--banned", "--json"))[0]["state"] == "banned"


def test_requests_with_a_banned_players_token_get_the_problem_banned_in_their_language(app: Flask, ada: UUID) -> None:
    client, token = app.test_client(), player_token(ADA)
    run("ban", ADA, "--until", "2999-01-01", "--reason", "Insults.")
    answer = client.get("/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json["code"]) == (403, "banned")
    assert answer.json["until"] == "2999-01-01T00:00:00.000000Z"
    assert answer.json["detail"] == "You are banned from this server until 2999-01-01 00:00 UTC. Insults."


def test_a_code_emailed_before_a_ban_cannot_be_used_to_sign_in(ada: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.accounts.mailed_codes.secrets.randbelow", lambda _: 123456)
    sign_in = begin_sign_in(ADA, "en", None)
    run("ban", ADA)
    with pytest.raises(Banned):
        redeem(sign_in, "123456")


def test_after_a_ban_expires_or_is_lifted_the_seat_can_be_taken_back(ada: UUID, ben: UUID, game: UUID) -> None:
    tokens = {who: player_token(who) for who in (ADA, BEN)}
    run("ban", ADA, "--until", "P1D")
    run("ban", BEN)
    later(DAY + HOUR)
    assert caller(tokens[ADA]).player_id == ada
    assert "is lifted" in run("unban", BEN)
    assert run("unban", ada, "--dry-run").endswith("is lifted\n")
    assert caller(tokens[BEN]).player_id == ben
    take_seat(game, ben)
    assert happened(game)[-1] == "seat-taken-back"
    run("check", game)


@pytest.mark.parametrize("command", ["ban", "delete-player"])
def test_commands_that_change_games_record_the_sandbox_time(game: UUID, command: str) -> None:
    move_clock(3 * DAY)
    clock.offset = NOTHING  # as in a new process
    run(command, ADA)
    times = [row.recorded_at for row in whole_log(game)]
    assert times == sorted(times)
    assert times[-1] - times[0] >= 3 * DAY


@pytest.mark.parametrize("command", [("motd", "Back soon."), ("ban", ADA)])
def test_the_option_until_counts_from_the_sandbox_time(known: UUID, command: tuple[str, ...]) -> None:
    move_clock(3 * DAY)
    earliest = clock.now() + DAY
    ended = f"{clock.now() - DAY:%Y-%m-%dT%H:%M}"
    clock.offset = NOTHING  # as in a new process
    (until,) = re.findall(r"until (\S+Z)", run(*command, "--until", "P1D", "--dry-run"))
    assert earliest.replace(microsecond=0) <= datetime.fromisoformat(until) <= clock.now() + DAY
    clock.offset = NOTHING
    wrong = ask(*command, "--until", ended)
    assert (wrong.exit_code, "Invalid value for '--until'" in wrong.output) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["audit"],
        ["check"],
        ["games", "list", "--older-than", "P1D"],
        ["mails", "list"],
        ["motd"],
        ["player-token", "cleo@example.org"],
        ["players", "list", "--banned"],
        ["players", "show", ADA],
        ["rebuild"],
        ["reports"],
        ["rotate-secret", "--dry-run"],
    ],
    ids=" ".join,
)
def test_commands_move_their_clock_to_the_sandbox_time(game: UUID, words: list[str]) -> None:
    now = move_clock(3 * DAY)
    clock.offset = NOTHING
    run(*words)
    assert clock.now() >= now


@pytest.mark.parametrize("command", [("motd", "Back soon."), ("ban", ADA)])
def test_the_audit_log_records_when_a_ban_or_message_of_the_day_ends(game: UUID, command: tuple[str, ...]) -> None:
    until = re.search(r"until (\S+Z)", run(*command, "--until", "P1D"))
    assert until and until[1] in [it.arguments.get("until") for it in audits(command[0])]


def test_the_audit_log_records_migrations_at_the_sandbox_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "lacks_rights", lambda url: True)
    now = move_clock(3 * DAY)
    clock.offset = NOTHING
    before = [it.at for it in audits("migrate")]
    run("migrate")
    (at,) = {it.at for it in audits("migrate")}.difference(before)
    assert at >= now


def audits(command: str) -> list[Audit]:
    db.session.rollback()
    return list(db.session.scalars(select(Audit).where(Audit.command == command)))


# Farewells


@pytest.fixture
def known(ada: UUID, game: UUID) -> UUID:
    """Return Ada, who has left traces in every table."""
    change_profile(ada, {"name": "Ada Lovelace", "zone": "Europe/Berlin"})
    say(game, ada, "My number is 030-0123.")
    make_webhook(ada, Subscription("https://ada.example/hook", ["your-turn"]), sandbox=False)
    new_feed(ada)
    begin_sign_in(ADA, "en", "192.0.2.7")
    take_mail(reply_word(game, 0, 1), "", b"From: ada@example.org\r\n\r\n?", limited=False)
    deal_with_mails()
    invite(open_game(person("cleo"), wanted(ME, OPEN, OPEN)).game_id, person("cleo"), ADA)
    refused = {"kind": "invitation", "version": 0, "result": "refused", "detail": f"550 5.1.1 <{ADA}>: not yet here"}
    db.session.add(Delivery(game_id=game, letter_id=uuid4(), nr=1, seat=1, at=clock.now(), **refused))
    db.session.commit()
    moves_on(game, ada)
    return ada


def test_a_dry_run_of_a_deletion_counts_what_would_be_deleted(known: UUID, game: UUID) -> None:
    before = everything()
    told = run("delete-player", ADA, "--dry-run")
    assert everything() == before
    for line in ("chat messages that lose their text: 1", "tokens deleted: 1", "webhooks deleted: 1"):
        assert line in told
    assert run("delete-player", ADA).splitlines()[1:] == told.splitlines()[1:]


def test_a_deleted_player_leaves_only_a_seat_in_unchanged_logs(known: UUID, game: UUID) -> None:
    token, word, log = player_token(ADA), return_word(game, 0), whole_log(game)
    run("delete-player", ADA)
    db.session.rollback()
    dump = [str(row) for table in db.metadata.sorted_tables for row in db.session.execute(select(table)).all()]
    for trace in (ADA, "Lovelace", "030-0123", "ada.example", "Europe/Berlin"):
        assert not [row for row in dump if trace in row], trace
    assert whole_log(game)[: len(log)] == log
    assert happened(game)[-1] == "seat-handed-over"
    assert load(game).names[0] == f"Former player {known.hex[:4]}"
    assert messages(game, 0, 10)[0]["text"] == "(deleted)"
    with pytest.raises(BadToken):
        caller(token)
    with pytest.raises(NotFound):
        come_back(word)
    assert [rows(it, it.player_id == known) for it in (Token, Webhook, GameLetter, Delivery)] == [0, 0, 0, 0]
    run("check", game)
    assert run("players", "search", "Former").split()[-1] == str(known)
    assert person("ada") != known  # the same address creates a new account


def test_a_deleted_players_tokens_are_revoked_first(known: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    token = player_token(ADA)

    def begins(player_id: UUID) -> None:
        with pytest.raises(BadToken):
            caller(token)
        give_up_seats(player_id)

    monkeypatch.setattr(delete_player, "give_up_seats", begins)
    delete_player.delete_player(known)


def test_deleting_a_player_changes_one_game_at_a_time(known: UUID) -> None:
    of_games = {table.name for table in db.metadata.sorted_tables if table.info["spread"] == "game_id"}
    changes: list[str] = []

    def note(_: object, __: object, statement: str, *___: object) -> None:
        if (words := statement.split())[0] in ("UPDATE", "DELETE") and of_games & set(words[1:3]):
            changes.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        delete_player.delete_player(known)
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    assert changes
    for change in changes:
        assert re.search(r"\bgame_id = %", change), change


def test_a_deleted_players_game_continues_to_an_archive_that_verifies(
    known: UUID, ben: UUID, game: UUID, tmp_path: Path
) -> None:
    run("delete-player", ADA)
    run("delete-player", BEN)
    while wake_due():
        pass
    assert load(game).table.status == "finished"
    run("export", game, tmp_path)
    assert "events are correct" in run("verify", tmp_path / f"{game}.json")


# Copies


def test_exporting_a_finished_game_returns_its_archive(ada: UUID, ben: UUID, game: UUID, tmp_path: Path) -> None:
    for who in (ada, ben):
        vote(game, who, "abandon", consents=True)
    before = sorted(tmp_path.iterdir())
    assert f"{game}.json is written" in run("export", game, tmp_path, "--dry-run")
    assert sorted(tmp_path.iterdir()) == before
    (tmp_path / f"{game}.json.new").touch(0o644)  # left over by an interrupted export
    run("export", game, tmp_path)
    assert json.loads((tmp_path / f"{game}.json").read_text()) == archive_of(game, None)
    assert stat.S_IMODE((tmp_path / f"{game}.json").stat().st_mode) == 0o600
    assert "is added" in run("import", tmp_path / f"{game}.json", "--dry-run")


def test_exporting_a_running_game_marks_the_copy_as_secret_and_private(game: UUID, tmp_path: Path) -> None:
    assert "(SECRET: keep it private)" in run("export", game, tmp_path / "new" / "folder")
    path = tmp_path / "new" / "folder" / f"{game}.secret.json"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    copy = json.loads(path.read_text())
    assert "Don't show it to anyone" in copy["secret"]
    assert copy["head"]["seed"] == load(game).head.seed.hex()
    assert len(copy["events"]) == len(whole_log(game))
    assert ask("verify", path).exit_code == 1


def test_all_games_can_be_exported_together_with_progress_on_stderr(game: UUID, tmp_path: Path) -> None:
    result = ask("export", "--all", tmp_path)
    assert result.exit_code == 0
    assert "1 of 1 games copied" in result.stderr
    assert "1 of 1 games checked" in ask("export", "--all", tmp_path, "--dry-run").stderr
    assert [path.name for path in tmp_path.iterdir()] == [f"{game}.secret.json"]


def test_a_players_export_contains_all_their_data_and_no_secrets(known: UUID, game: UUID, tmp_path: Path) -> None:
    run("export", "--player", ADA, tmp_path)
    (path,) = tmp_path.iterdir()
    copy = json.loads(path.read_text())
    assert copy["profile"]["name"] == "Ada Lovelace"
    assert [it["game"] for it in copy["games"]] == [str(game)]
    assert copy["messages"][0]["text"] == "My number is 030-0123."
    assert [(it["from"], it["text"]) for it in copy["mails"]] == [("ada@example.org", "?")]
    assert copy["tokens"][0]["name"] == "operator"
    assert load(game).head.seed.hex() not in path.read_text()
    story = views.story(load(game), None)
    assert copy["games"][0]["story"] == json.loads(json.dumps(story))


def test_a_token_is_not_created_in_a_dry_run(ada: UUID) -> None:
    before = everything()
    assert f"player {ada} gets another token" in run("player-token", ADA, "--dry-run")
    assert "a player with the address new@example.org is created" in run("player-token", "new@example.org", "--dry-run")
    assert everything() == before


def test_up_to_date_tables_have_no_pending_migration() -> None:
    assert run("migrate", "--dry-run") == "Dry run: nothing was changed. This would happen:\n  nothing\n"


# More machines


def scaling(app: Flask) -> str:
    return app.test_client().get("/docs/scaling").text


def test_the_guide_names_existing_commands_and_settings_and_the_real_limits(app: Flask) -> None:
    guide = unescape(re.sub(r"<[^>]+>", " ", scaling(app)))
    assert set(re.findall(r"sternenpost ([a-z][a-z-]+)", guide)) <= set(cli.main.commands)
    assert set(re.findall(r"STERNENPOST_[A-Z_]+", guide)) <= {it.name for it in VARIABLES.values()}
    assert f"{server.workers} processes with {server.threads} threads" in guide
    most = 2 * (server.threads + 3) + 1  # connections of a process: beats, streams, notifications and a listener
    assert f"at most {server.workers * most}" in guide
    assert f"after {server.keepalive} seconds" in guide
    known = {"sternenpost_app", "sternenpost_streams"}  # a role, and one of webs with streams only
    known |= set(re.findall(r"sternenpost_\w+", app.test_client().get("/metrics", headers=FOR_METRICS).text))
    assert set(re.findall(r"sternenpost_[a-z_]+", guide)) <= known


def test_the_guides_settings_are_a_valid_systemd_file(app: Flask) -> None:
    """It knows comments, but none behind a value."""
    lines = [line for line in block(scaling(app), "environment").splitlines() if not line.startswith("#")]
    told = dict(line.replace("...", 16 * "a").split("=", 1) for line in lines)
    settings = Settings.from_environment(told)
    assert (settings.proxies, settings.sandbox, settings.reply_domain) == (1, False, "reply.stars.example")
    assert set(told) - {"GUNICORN_CMD_ARGS"} <= {it.name for it in VARIABLES.values()}
    assert not any("#" in value for value in told.values())


def test_the_mail_guide_names_existing_commands_settings_and_addresses(app: Flask) -> None:
    guide = re.sub(r"<[^>]+>", " ", app.test_client().get("/docs/mail").text)
    assert set(re.findall(r"sternenpost ([a-z][a-z-]+)", guide)) <= set(cli.main.commands)
    assert set(re.findall(r"STERNENPOST_[A-Z_]+", guide)) <= {it.name for it in VARIABLES.values()}
    assert set(re.findall(r"/mail-in/([a-z]+)", guide)) == set(providers._PROVIDERS)


# The message of the day


def message(app: Flask) -> object:
    return app.test_client().get("/v1").json["message"]


def test_the_message_of_the_day_is_shown_until_it_expires_or_is_removed(app: Flask, game: UUID) -> None:
    assert message(app) is None
    run("motd", "Back at noon.", "--dry-run")
    assert message(app) is None
    run("motd", "Back at noon.", "--until", "P1D")
    assert message(app)["text"] == "Back at noon."
    assert run("motd").startswith("Back at noon. (until 20")
    assert "Back at noon." in app.test_client().get(f"/t/{turn_word(game, 0, 1)}/plain").text
    later(DAY + HOUR)
    assert message(app) is None
    run("motd", "Back in the evening.")
    assert message(app) == {"text": "Back in the evening.", "until": None}
    run("motd", "--remove")
    assert (message(app), run("motd")) == (None, "There is no message.\n")


def test_turn_emails_end_with_the_message_of_the_day(game: UUID) -> None:
    run("motd", "Back at noon.")
    letter = db.session.scalars(select(GameLetter).where(GameLetter.game_id == game)).one()
    mail = Mail("", BytesParser(policy=policy.default).parsebytes(composed(letter).message))
    assert "Back at noon." in mail.text.partition("\n-- \n")[2]


def test_the_api_root_names_the_service(app: Flask) -> None:
    assert app.test_client().get("/v1").json["name"] == "Sternenpost"


# Set-aside mails


@pytest.fixture
def mail_aside(game: UUID, monkeypatch: pytest.MonkeyPatch) -> UUID:
    """Return Ada's game, with a mail that failed to be processed."""

    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("It broke.")

    arrives(reply_word(game, 0, 1), a_mail("say One.", Subject="Re: \x1b Autumn sky"))
    with monkeypatch.context() as patch:
        patch.setattr(answering, "_read", breaks)
        deal_with_mails()
    (mail,) = kept_mails(10)
    mail_id: UUID = mail["id"]
    return mail_id


def test_an_email_that_failed_is_listed_and_shown(mail_aside: UUID, game: UUID) -> None:
    (listed,) = json.loads(run("mails", "list", "--json"))
    assert listed["id"] == str(mail_aside)
    assert (listed["game"], listed["to"], listed["from"]) == (str(game), "seat 0", ADA)
    assert listed["fault"] == "RuntimeError: It broke."
    assert "It broke." in run("mails", "list")
    shown = run("mails", "show", mail_aside)
    assert "say One." in shown
    assert "\x1b" not in shown
    assert "mails aside: 1 could not be processed" in ask("doctor").stdout
    assert web_metric("sternenpost_mails_aside") == "1.0"


def web_metric(name: str) -> str:
    text = current_app.test_client().get("/metrics", headers=FOR_METRICS).text
    found = re.search(rf"^{name} (.*)$", text, re.MULTILINE)
    assert found
    return found[1]


def test_a_failed_email_is_processed_again_once_its_cause_is_fixed(mail_aside: UUID, game: UUID) -> None:
    run("mails", "again", mail_aside, "--dry-run")
    deal_with_mails()
    assert not messages(game, 0, 10)
    run("mails", "again", mail_aside)
    deal_with_mails()
    assert [it["text"] for it in messages(game, 0, 10)] == ["One."]
    assert run("mails", "list") == "None.\n"
    run("mails", "again", mail_aside, status=1)


def test_failed_replies_and_postmaster_emails_can_be_dropped(mail_aside: UUID) -> None:
    take_postmaster_mail("postmaster", "1", b"Subject: Hello\r\n\r\nx", limited=True)
    listed = json.loads(run("mails", "list", "--json"))
    assert [it["subject"] for it in listed] == ["Hello", "Re: Autumn sky"]
    for it in listed:
        run("mails", "drop", it["id"])
    assert run("mails", "list") == "None.\n"
    run("mails", "drop", mail_aside, status=1)
    run("mails", "again", uuid4(), status=1)
