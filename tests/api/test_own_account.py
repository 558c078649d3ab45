"""Your own account over the API: address change, export and deletion."""

import logging
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.accounts.account_codes import PURPOSES, id_of
from server.accounts.mailed_codes import CODE_LIFE
from server.accounts.players import player_at
from server.accounts.tokens import caller
from server.clock import clock
from server.games import Json
from server.operations import delete_player as deletion
from server.operations.delete_player import forget_guests
from server.play.archive import check
from server.play.commits import load
from server.play.mail.mail_in import reply_word, take_mail
from server.play.timing.sweep import wake_due
from server.post.incoming.answering import deal_with_mails
from server.store import embedded_postgres
from server.store.tables import PlayerLetterRow, RateLimit, SeatRow, db
from tests.api.test_sign_in import wrong
from tests.post.office import Office, a_mail, arrives
from tests.support.api_calls import first_move, further
from tests.support.apps import authorized_app
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN, service_is_up
from tests.support.stand_ins import day, word_at

NEW = "lovelace@example.net"
DELETION, OLD_ADDRESS, NEW_ADDRESS = PURPOSES


def id_of_player(who: Someone) -> UUID:
    return UUID(who.get("/v1/me").json["id"])


def mailed(app: Flask, player_id: UUID, purpose: str) -> Json:
    """What the newest letter with a code for this purpose holds."""
    with app.app_context():
        own = PlayerLetterRow.player_id == id_of(player_id, purpose)
        found = db.session.scalars(db.select(PlayerLetterRow).where(own).order_by(PlayerLetterRow.made_at)).all()
        return found[-1].data


def asked(app: Flask, who: Someone, email: str = NEW) -> Json:
    """A request for another address, with both codes."""
    player_id = id_of_player(who)
    response = who.patch("/v1/me", {"email": email})
    assert (response.status_code, response.json["new_email"]) == (200, email), response.text
    codes = {
        name: mailed(app, player_id, of)["code"] for name, of in (("code", OLD_ADDRESS), ("new_code", NEW_ADDRESS))
    }
    return {"email": email, **codes}


# Another address


def test_an_address_changes_only_when_both_addresses_are_confirmed(app: Flask, ada: Someone) -> None:
    before = ada.get("/v1/me").json
    wanted = asked(app, ada)
    assert ada.get("/v1/me").json == before | {"new_email": NEW}
    player_id = UUID(before["id"])
    to = {purpose: mailed(app, player_id, purpose)["to"] for purpose in (OLD_ADDRESS, NEW_ADDRESS)}
    assert to == {OLD_ADDRESS: "ada@example.org", NEW_ADDRESS: NEW}
    assert ada.patch("/v1/me", wanted).json == before | {"email": NEW, "new_email": None}
    is_problem(ada.patch("/v1/me", wanted), 401, "wrong-code")  # they are used up
    with app.app_context():
        assert (player_at(NEW), player_at("ada@example.org")) == (player_id, None)


def test_wrong_swapped_or_old_codes_do_not_change_the_address(app: Flask, ada: Someone) -> None:
    wanted = asked(app, ada)
    others = [
        {"code": wrong(wanted["code"])},
        {"new_code": wrong(wanted["new_code"])},
        {"code": wanted["new_code"], "new_code": wanted["code"]},
        {"email": "other@example.net"},
    ]
    for other in others:
        is_problem(ada.patch("/v1/me", wanted | other), 401, "wrong-code")
    clock.forward(CODE_LIFE)
    is_problem(ada.patch("/v1/me", wanted), 401, "wrong-code")
    assert ada.get("/v1/me").json.items() >= {"email": "ada@example.org", "new_email": None}.items()


def test_fields_sent_together_with_a_new_address_change_with_it_or_not_at_all(app: Flask, ada: Someone) -> None:
    before, more = ada.get("/v1/me").json, {"name": "Ada L.", "zone": "Europe/Rome"}
    is_problem(ada.patch("/v1/me", more | {"email": "ada@example.org"}), 422, "invalid-field")
    wanted = asked(app, ada) | more
    is_problem(ada.patch("/v1/me", wanted | {"new_code": wrong(wanted["new_code"])}), 401, "wrong-code")
    is_problem(ada.patch("/v1/me", wanted | {"zone": "Europe/Atlantis"}), 422, "invalid-field")
    is_problem(ada.patch("/v1/me", {"email": "other@example.net", "zone": "Europe/Atlantis"}), 422, "invalid-field")
    assert ada.get("/v1/me").json == before | {"new_email": NEW}
    assert ada.patch("/v1/me", wanted).json == before | more | {"email": NEW, "new_email": None}
    assert ada.patch("/v1/me", {"email": "ada@example.org", "name": "Ada"}).json["name"] == "Ada"


def test_an_account_code_allows_five_attempts(app: Flask, ada: Someone) -> None:
    wanted = asked(app, ada)
    for _ in range(5):
        is_problem(ada.patch("/v1/me", wanted | {"code": wrong(wanted["code"])}), 401, "wrong-code")
    is_problem(ada.patch("/v1/me", wanted), 401, "wrong-code")


def test_an_account_code_cannot_be_used_to_sign_in(app: Flask, ada: Someone, stranger: Someone) -> None:
    code = asked(app, ada)["new_code"]
    sign_in = str(id_of(id_of_player(ada), NEW_ADDRESS))
    is_problem(stranger.post("/v1/tokens", {"sign_in": sign_in, "code": code}), 401, "wrong-code")


def test_only_the_owner_of_a_mailbox_learns_whether_its_address_is_registered(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    def told(email: str) -> tuple[int, Json]:
        answer = ada.patch("/v1/me", {"email": email})
        return answer.status_code, answer.json | {"new_email": None}

    assert told("bea@example.org") == told("nobody@example.org")
    assert ada.get("/v1/me/deliveries").json["items"] == []  # nor by what becomes of its letter
    taken = asked(app, ada, "bea@example.org")
    is_problem(ada.patch("/v1/me", taken | {"new_code": wrong(taken["new_code"])}), 401, "wrong-code")
    refused = ada.patch("/v1/me", taken)
    is_problem(refused, 422, "invalid-field")
    assert refused.json["field"] == "email"
    emails = [who.get("/v1/me").json["email"] for who in (ada, bea)]
    assert emails == ["ada@example.org", "bea@example.org"]


@pytest.mark.parametrize(
    "changes",
    [{"code": "123456", "new_code": "123456"}, {"email": NEW, "code": "123456"}, {"email": NEW, "new_code": "123456"}],
)
def test_an_address_change_sends_both_codes_together(ada: Someone, changes: Json) -> None:
    is_problem(ada.patch("/v1/me", changes), 422, "invalid-field")


def test_the_current_address_is_rejected_and_codes_are_limited(ada: Someone) -> None:
    is_problem(ada.patch("/v1/me", {"email": "ADA@example.org"}), 422, "invalid-field")
    for number in range(5):
        assert ada.patch("/v1/me", {"email": f"{number}@example.net"}).status_code == 200
    is_problem(ada.patch("/v1/me", {"email": NEW}), 429, "too-many-requests")


def test_a_guest_has_no_address_to_change(stranger: Someone, app: Flask) -> None:
    guest = Someone(app, token=stranger.post("/v1/guests").json["token"])
    is_problem(guest.patch("/v1/me", {"email": NEW}), 403, "sign-in-first")


def test_after_an_address_change_a_reserved_seat_gets_a_new_invitation_email(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    path = opened(bea, ME, {"email": "ada@example.org", "greeting": "Fancy a game?"}, OPEN, private=True)
    assert ada.patch("/v1/me", asked(app, ada)).status_code == 200
    with app.app_context():
        assert db.session.scalars(db.select(SeatRow).where(SeatRow.greeting.is_not(None))).all() == []
        office = Office(app)
        assert sum("invites you" in it.subject for it in office.mails_to(NEW)) == 1
        assert db.session.scalars(db.select(SeatRow.email).where(SeatRow.email.is_not(None))).all() == [NEW]
        left = db.session.scalars(db.select(RateLimit.key).where(RateLimit.key.contains("ada@example.org"))).all()
        assert left == []
    assert bea.get(f"{path}/invitations").json["items"] == [{"seat": 1, "email": None, "name": "ada"}]
    assert ada.post(f"{path}/seats").json["you"]["seat"] == 1


@pytest.mark.parametrize("by", ["player", "email"])
def test_after_an_address_change_a_stand_in_request_is_sent_again_and_its_old_link_is_invalid(
    app: Flask, bea: Someone, game: str, shared_url: str, by: str
) -> None:
    dan = Someone(app, "dan")
    whom = {"player": str(id_of_player(dan)), "email": "dan@example.org"}[by]
    wanted = {by: whom, "from": day(0), "until": day(6)}
    assert bea.post(f"{game}/seats/me/stand-in", wanted).status_code == 201
    former = word_at(app, game)
    with app.app_context():
        Office(app).mails_to("dan@example.org")
    assert dan.patch("/v1/me", asked(app, dan)).status_code == 200
    assert [row for _, row in dump(shared_url) if "dan@example.org" in row] == []
    assert app.test_client().post(f"/s/{former}").status_code == 404
    is_problem(dan.post(f"/v1/stand-ins/{former}"), 404, "not-found")
    with app.app_context():
        (mail,) = [it for it in Office(app).mails_to(NEW) if "/s/" in it.text]
    word = word_at(app, game)
    assert word in mail.text
    assert dan.post(f"/v1/stand-ins/{word}").status_code == 201
    assert dan.patch("/v1/me", asked(app, dan, "third@example.net")).status_code == 200
    assert [row for _, row in dump(shared_url) if NEW in row] == []


# A copy


def test_players_can_export_everything_stored_about_them(ada: Someone, bea: Someone, game: str) -> None:
    ada.post(f"{game}/messages", {"text": "Good evening."})
    ada.post(f"{game}/moves", first_move(ada, game))
    copy = ada.get("/v1/me/export")
    assert copy.status_code == 200
    assert copy.json["profile"]["email"] == "ada@example.org"
    assert [it["text"] for it in copy.json["messages"]] == ["Good evening."]
    assert [it["game"] for it in copy.json["games"]] == [game.rpartition("/")[2]]
    assert "bea@example.org" not in copy.text


# The end


def code_for_the_end(app: Flask, who: Someone) -> str:
    player_id = id_of_player(who)
    assert who.delete("/v1/me").status_code == 202
    code: str = mailed(app, player_id, DELETION)["code"]
    return code


def ended(app: Flask, who: Someone) -> TestResponse:
    return who.delete(f"/v1/me?code={code_for_the_end(app, who)}")


def test_an_account_is_deleted_only_with_an_emailed_code(app: Flask, ada: Someone) -> None:
    code = code_for_the_end(app, ada)
    assert ada.get("/v1/me").status_code == 200
    is_problem(ada.delete(f"/v1/me?code={wrong(code)}"), 401, "wrong-code")
    is_problem(ada.delete("/v1/me?code=12345"), 422, "invalid-fields")
    assert ada.delete(f"/v1/me?code={code}").status_code == 204
    is_problem(ada.get("/v1/me"), 401, "bad-token")
    assert Someone(app, "ada").get("/v1/me").json["named"]  # the same address creates a new account


def test_a_guest_can_delete_the_account_without_a_code(app: Flask, stranger: Someone) -> None:
    guest = Someone(app, token=stranger.post("/v1/guests").json["token"])
    assert guest.delete("/v1/me").status_code == 204
    is_problem(guest.get("/v1/me"), 401, "bad-token")


def test_an_interrupted_deletion_resumes_by_itself(app: Flask, ada: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
    player_id, code = id_of_player(ada), code_for_the_end(app, ada)

    def dies(_: UUID) -> None:
        raise MemoryError

    with monkeypatch.context() as dying:
        dying.setattr(deletion, "give_up_seats", dies)
        is_problem(ada.delete(f"/v1/me?code={code}"), 500, "internal-error")
    with app.app_context():
        assert player_at("ada@example.org") == player_id
        forget_guests()
        assert player_at("ada@example.org") is None


NAME = "Ádá Q. Lovelace"


@pytest.fixture
def lovelace(app: Flask, ada: Someone, bea: Someone, game: str) -> Someone:
    """Ada has left traces everywhere, in what is kept of Bea, too; and has had another address before."""
    ada.patch("/v1/me", {"name": NAME, "zone": "Europe/London"})
    assert ada.patch("/v1/me", asked(app, ada)).status_code == 200
    ada.post("/v1/webhooks", {"url": f"https://example.org/{NEW}", "kinds": ["your-turn"]})
    ada.post(f"{game}/messages", {"text": f"I am {NAME}."})
    further(app, ada, name=NAME)
    bea.post("/v1/webhooks", {"url": "https://bea.example.org/hook", "kinds": ["your-turn", "message"]})
    keyed = {"headers": {"Idempotency-Key": "k"}}
    salted = opened(
        ada,
        ME | {"salt_hash": sha256(b"a salt").hexdigest()},
        OPEN,
        BOT,
        options={"ready_check": TWO_DAYS},
        title=f"{NAME}'s evening",
    )
    bea.post(f"{opened(ada, OPEN, OPEN, BOT, title=f'By {NAME}')}/seats")
    bea.post(f"{salted}/seats")
    assert ada.post(f"{salted}/ready", {"salt": "a salt"}).status_code == 200
    cyd = Someone(app, "cyd")
    for who in (ada, cyd):
        assert who.post(f"/v1/players/{id_of_player(cyd if who is ada else ada)}/block").status_code == 204
    assert ada.ask("PUT", f"{game}/note", {"text": f"{NAME} wins.", "muted": True}).status_code == 200
    assert ada.post("/v1/stream-tickets").status_code == 201
    with app.app_context():
        authorized_app(caller(ada.token or ""))
    private = opened(bea, ME, {"email": NEW}, OPEN)
    ada.post(f"{private}/seats")
    bea.post(f"{private}/votes", {"on": "abandon"}, **keyed)
    opened(bea, ME, {"email": NEW}, OPEN)
    ada.patch("/v1/me", {"email": "third@example.net"})
    with app.app_context():
        service_is_up()
        game_id = UUID(game.rpartition("/")[2])
        turn = load(game_id).table.turns[0]
        for seat, sender in ((0, f"{NAME.encode().decode('latin-1')} <{NEW}>"), (1, "bea@example.org")):
            raw = f"From: {sender}\r\nMessage-ID: <{seat}@x>\r\n\r\n?\r\n> {NAME}".encode()
            take_mail(reply_word(game_id, seat, turn), "", raw, limited=False)
        deal_with_mails()
        Office(app).mails("ada")  # some are carried, and some wait
    ada.post(f"{game}/moves", first_move(ada, game))
    return ada


TWO_DAYS = {"within": "P2D"}


@pytest.fixture
def stood_in(app: Flask, lovelace: Someone, bea: Someone, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Games in which Ada sits for Bea, did so, has promised to, and is asked: Bea is told of it in a bundle or soon."""
    ada, dan = lovelace, Someone(app, "dan")
    monkeypatch.setitem(app.config, "LIMITS", False)
    bea.patch("/v1/me", {"notifications": {"mails": {"stand-in": "bundled"}}})
    paths = [opened(bea, ME, OPEN, BOT) for _ in range(5)]
    sits, sat, promised, asked, sits_still_untold = paths
    office = Office(app)
    for path, first, whom in (
        (sits, 0, {"player": str(id_of_player(ada))}),
        (sat, 0, {"email": NEW}),
        (promised, 3, {"email": NEW}),
        (asked, 3, {"email": NEW}),
        (sits_still_untold, 0, {"email": NEW}),
    ):
        dan.post(f"{path}/seats")
        wanted = whom | {"from": day(first), "until": day(6)}
        assert bea.post(f"{path}/seats/me/stand-in", wanted).status_code == 201
        if path is sits_still_untold:
            with app.app_context():
                office.mails("bea")
        assert path is asked or ada.post(f"/v1/stand-ins/{word_at(app, path)}").status_code == 201
    for path in (sits, sat):
        with app.app_context():
            game_id = UUID(path.rpartition("/")[2])
            mail = f"From: {NAME.encode().decode('latin-1')} <{NEW}>\r\n\r\nresign".encode()
            take_mail(reply_word(game_id, 0, load(game_id).table.turns[0]), "", mail, limited=False)
            deal_with_mails()
    assert ada.delete(f"{sat}/seats/me/stand-in").status_code == 204
    return paths


def dump(url: str) -> Iterator[tuple[str, str]]:
    """All rows of all tables, as Postgres copies them out."""
    with psycopg.connect(url) as connection:
        connection.execute("SET bytea_output = 'escape'")
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            with connection.cursor().copy(f"COPY {table} TO STDOUT") as copy:
                yield from ((table, bytes(row).decode()) for row in copy)


def test_a_player_and_their_stand_in_each_export_only_their_own_emails(
    app: Flask, lovelace: Someone, bea: Someone, stood_in: list[str]
) -> None:
    copies = [who.get("/v1/me/export").json for who in (lovelace, bea)]
    sits = stood_in[0].rpartition("/")[2]
    mails = [{(it["game_id"] == sits, it["seat"], it["text"]) for it in copy["mails"]} for copy in copies]
    assert mails == [{(False, 0, "?"), (True, 0, "resign")}, {(False, 1, "?")}]
    assert [it["from"] for it in copies[1]["mails"]] == ["bea@example.org"]
    _, _, promised, asked, later = (path.rpartition("/")[2] for path in stood_in)
    assert {it["game_id"] for it in copies[0]["stand_ins"]} == {sits, promised, asked, later}
    assert {it["game_id"] for it in copies[1]["stand_ins"]} == {sits, promised, asked, later}
    assert "bea@example.org" not in str(copies[0])
    assert [len(copies[0][it]) for it in ("notes", "blocks", "apps")] == [1, 1, 1]
    assert [it["salt"] for it in copies[0]["games"] if it["salt_hash"]] == [None]  # the game has not begun


def test_a_deleted_stand_in_leaves_no_trace_and_archives_still_verify(
    app: Flask, shared_url: str, lovelace: Someone, bea: Someone, stood_in: list[str]
) -> None:
    traces = (NAME, NEW, "third@example.net", r"\\303\\201d\\303\\241")
    before = {(table, trace) for trace in traces for table, row in dump(shared_url) if trace in row}
    assert before >= {(it, NAME) for it in ("outbox", "player_outbox", "notes")} | {
        (it, NEW) for it in ("stand_ins", "inbox")
    }
    assert ended(app, lovelace).status_code == 204
    assert [(table, trace, row) for trace in traces for table, row in dump(shared_url) if trace in row] == []
    assert not [trace for trace in (NAME, NEW) if trace in pg_dump(shared_url)]
    for path in stood_in:
        for who in (bea, Someone(app, "dan")):
            assert who.post(f"{path}/votes", {"on": "abandon"}).status_code == 200
        check(Someone(app).get(f"{path}/archive").data)


def test_a_deleted_player_with_a_stand_in_leaves_no_trace(
    app: Flask, shared_url: str, lovelace: Someone, bea: Someone, stood_in: list[str]
) -> None:
    assert bea.patch("/v1/me", {"name": "Beatrix"}).status_code == 200
    assert ended(app, bea).status_code == 204
    traces = ("Beatrix", "bea@example.org")
    assert [(table, trace, row) for trace in traces for table, row in dump(shared_url) if trace in row] == []
    assert [load_status(lovelace, path) for path in stood_in] == ["running"] * 5


def load_status(who: Someone, path: str) -> str:
    return str(who.get(path).json["status"])


def pg_dump(url: str) -> str:
    """As an operator takes it for a backup."""
    program = embedded_postgres.installation() / "bin" / "pg_dump"
    return subprocess.run([program, url], check=True, capture_output=True, text=True).stdout


def test_a_deleted_player_leaves_no_name_or_address_and_archives_still_verify(
    app: Flask, shared_url: str, lovelace: Someone, bea: Someone, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    traces = (NAME, NEW, "ada@example.org", "third@example.net", "Europe/London", r"\\303\\201d\\303\\241")
    before = {trace for trace in traces for _, row in dump(shared_url) if trace in row}
    assert before >= {NAME, NEW, "third@example.net", "Europe/London"}
    with caplog.at_level(logging.DEBUG):
        assert ended(app, lovelace).status_code == 204
    assert [(table, trace, row) for trace in traces for table, row in dump(shared_url) if trace in row] == []
    titles = [it["title"] for it in bea.get("/v1/games?mine=true").json["items"]]
    assert any(re.fullmatch("Former player [0-9a-f]{4}'s evening", title) for title in titles)
    assert not [trace for trace in traces if trace in caplog.text]
    with app.app_context():
        service_is_up()
        ended(app, bea)
        while wake_due():
            pass
    archive = Someone(app).get(f"{game}/archive")
    check(archive.data)
    assert NAME not in archive.text


def is_forgotten(app: Flask, url: str, who: Someone, *traces: str) -> None:
    assert ended(app, who).status_code == 204
    assert [(table, trace, row) for trace in traces for table, row in dump(url) if trace in row] == []


KEYED: Json = {"headers": {"Idempotency-Key": "k"}}


def test_stored_responses_do_not_name_deleted_players_who_left_before_the_start(
    app: Flask, shared_url: str, bea: Someone
) -> None:
    dan = Someone(app, "dan")
    dan.patch("/v1/me", {"name": "Quixote"})
    seats = f"{opened(bea, ME, OPEN, OPEN, OPEN)}/seats"
    dan.post(seats, {}, **KEYED)
    Someone(app, "cyd").post(seats, {}, **KEYED)
    assert dan.delete(f"{seats}/me").status_code == 204
    assert {table for table, row in dump(shared_url) if "Quixote" in row} == {"players", "idempotency_keys"}
    dan.patch("/v1/me", {"name": "Dulcinea"})
    is_forgotten(app, shared_url, dan, "Quixote", "Dulcinea")


def test_stored_responses_do_not_contain_titles_by_deleted_players(app: Flask, shared_url: str, bea: Someone) -> None:
    dan = Someone(app, "dan")
    dan.patch("/v1/me", {"name": 'Don "Q" Quixote'})
    path = opened(dan, OPEN, OPEN, BOT, title='By Don "Q" Quixote')
    bea.post(f"{path}/seats", {}, **KEYED)
    is_forgotten(app, shared_url, dan, "Quixote")


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("confirmed", [False, True])
def test_stand_in_requests_by_email_do_not_name_deleted_players(
    app: Flask, shared_url: str, bea: Someone, confirmed: bool, moved: bool
) -> None:
    dan = Someone(app, "dan")
    dan.patch("/v1/me", {"name": "Quixote"})
    Someone(app, "cyd").post(f"{opened(bea, ME, OPEN, BOT, options={'start_seat': 0})}/seats")
    with app.app_context():
        office = Office(app, "stars.example")
        written = [f"stand-in Dan@example.org {day(1)}..{day(3)}"]
        for _ in range(1 + confirmed):
            letter = office.mails("bea")[-1]
            words = re.findall("(?m)^  (confirm .*)$", letter.text) or written
            arrives(letter.reply_to, a_mail(words[0], sender="bea@example.org"))
            deal_with_mails()
    named = {"inbox", "outbox"} | ({"stand_ins"} if confirmed else set())
    assert {table for table, row in dump(shared_url) if "dan@example.org" in row} >= named
    if moved:
        with app.app_context():
            office.delivers()
        assert dan.patch("/v1/me", asked(app, dan)).status_code == 200
    is_forgotten(app, shared_url, dan, "dan@example.org")
