"""Invalid stored data delays no game: a default applies, one line is logged, and the doctor names the row."""

from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from psycopg.types.json import Jsonb
from sqlalchemy import text

from server import stored_data
from server.accounts.players import change_profile
from server.games import Json
from server.play.commits import load
from server.play.seating.stand_ins import change_stand_ins
from server.play.story.table_cache import tables
from server.play.timing.sweep import wake_due
from server.post.incoming.answering import deal_with_mails
from server.push.subscriptions import subscribe
from server.store.connections import autocommit
from server.store.tables import Player, StandIn, db
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Office, a_mail, arrives
from tests.support.api_calls import LOOKS, calls_need_no_rules, first_move
from tests.support.commands import ask, found_by
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, DAY, HOUR, ME, OPEN, happened, later, letters, person, service_is_up
from tests.support.live_server import AT_ONCE
from tests.support.push_reader import PushReader

NOBODY = UUID(int=7)
ADDRESS = "bea@example.org"


def write(statement: str, *values: Any) -> None:
    """Write to the database, bypassing all checks."""
    with autocommit() as connection:
        connection.execute(statement, values)
    db.session.expire_all()


def write_player(column: str, value: Any) -> None:
    write(f"UPDATE players SET {column} = %s WHERE email = %s", value, ADDRESS)


def forget_tables(game_id: UUID) -> None:
    """Clear the caches, as in a new process."""
    tables.forget(game_id)


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


@pytest.fixture
def table(app: Flask, ada: Someone, bea: Someone, no_limits: None) -> str:
    """Return the path of a running game. It is Ada's turn, then Bea's."""
    stored_data.warn_of.cache_clear()
    with app.app_context():
        service_is_up()
        for name in ("ada", "bea"):
            change_profile(person(name), {"notifications": AT_ONCE})
    path = opened(ada, ME, OPEN, BOT, options={"start_seat": 0})
    assert bea.post(f"{path}/seats", {}).status_code == 201
    return path


def id_of(path: str) -> UUID:
    return UUID(path[-36:])


def doctor(app: Flask) -> dict[str, str]:
    return found_by(ask("doctor", DATABASE_URL=app.config["SQLALCHEMY_DATABASE_URI"]))


def everything_goes_on(app: Flask, table: str, ada: Someone, bea: Someone, office: Office) -> None:
    """Let Ada move and Bea get letters, look at everything, and time out."""
    played = ada.post(f"{table}/moves", first_move(ada, table))
    assert played.status_code == 201, played.text
    for who in (ada, bea):
        for path in ("/v1/me", "/v1/games", "/v1/games?mine=true", "/v1/games?my_turn=true", "/v1/stream", table):
            assert who.get(path).status_code == 200, path
    for path in ("/v1/me/export", "/v1/me/deliveries", "/v1/webhooks", "/v1/push-subscriptions"):
        assert bea.get(path).status_code == 200, path
    for look in LOOKS:
        assert bea.get(f"{table}/{look}").status_code < 500, look
    for pace in ("quick", "usual", "slow"):
        assert ada.get(f"/v1/games?pace={pace}").status_code == 200
    with app.app_context():
        told = office.mails("bea")[-1]
        assert told.reply_to
        assert "/t/" in told.text
        link = next(word for word in told.text.split() if "/t/" in word)
        page = app.test_client().get(link.partition("//")[2].partition("/")[2].join(("/", "")))
        assert page.status_code == 200, page.text
        arrives(told.reply_to, a_mail("?"))
        deal_with_mails()
        assert len(office.mails("bea")) > 1
        for _ in range(12):
            later(DAY / 2)
            wake_due()
            change_stand_ins()
            deal_with_mails()
            office.mails("bea")
        assert "time-extended" in happened(id_of(table))
        assert "time-ran-out" in happened(id_of(table))


PREFERENCES: list[tuple[str, Any]] = [
    ("locale", "tlh"),
    ("locale", "es"),
    ("locale", ""),
    ("zone", "Mars/Olympus"),
    ("calendar", Jsonb({"night": "25:00-99:00"})),
    ("calendar", Jsonb({"days_off": "weekend"})),
    ("calendar", Jsonb({"days_off": [1, 2, 3, 4, 5, 6, 7]})),
    ("calendar", Jsonb([])),
    ("calendar", Jsonb("never")),
    ("notifications", Jsonb({"bundle_at": ["25:99"], "mails": {"reminder": "bundled"}})),
    ("notifications", Jsonb({"bundle_at": "08:00", "mails": {"reminder": "bundled"}})),
    ("notifications", Jsonb({"bundle_at": [], "mails": {"reminder": "bundled"}})),
    ("notifications", Jsonb({"reminders": ["soon"]})),
    ("notifications", Jsonb({"reminders": {"half": True}})),
    ("notifications", Jsonb({"mails": ["your-turn"]})),
    ("notifications", Jsonb({"mails": {"your-turn": "by-pigeon"}})),
    ("notifications", Jsonb({"push": "loud", "smoke": True})),
    ("notifications", Jsonb([])),
    ("notifications", Jsonb(None)),
    ("notifications", Jsonb({"reminders": [10**40]})),
]


@pytest.mark.parametrize(("column", "value"), PREFERENCES, ids=[f"{name} {value}" for name, value in PREFERENCES])
def test_invalid_player_data_does_not_delay_games(
    app: Flask,
    table: str,
    ada: Someone,
    bea: Someone,
    office: Office,
    column: str,
    value: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with app.app_context():
        write_player(column, value)
        forget_tables(id_of(table))
    everything_goes_on(app, table, ada, bea, office)
    assert bea.ask("PATCH", "/v1/me", {"name": "Beatrix"}).status_code == 200
    warnings = [it for it in caplog.records if "is invalid here" in it.getMessage()]
    assert len({it.getMessage() for it in warnings}) == len(warnings) == 1
    with app.app_context():
        bea_id = person("bea")
    assert doctor(app)[f"player {bea_id}, {column}"]


def test_valid_choices_still_count_if_another_choice_is_invalid(app: Flask, bea: Someone) -> None:
    stored = {"bundle_at": ["19:00"], "reminders": [5], "mails": {"reminder": "off", "your-turn": "by-pigeon", "x": 1}}
    with app.app_context():
        write_player("notifications", Jsonb(stored))
    assert bea.get("/v1/me").json["notifications"] == {"bundle_at": ["19:00"], "mails": {"reminder": "off"}}


def test_a_calendar_with_an_unknown_zone_can_be_changed(app: Flask, bea: Someone) -> None:
    with app.app_context():
        write_player("zone", "Mars/Olympus")
    assert bea.ask("PATCH", "/v1/me", {"calendar": {"days_off": [7]}}).status_code == 200


TERMS: list[tuple[str, Any]] = [
    ("clock", {"per_move": "soon"}),
    ("clock", {"bank": "P1D"}),
    ("clock", {"bank": "P9D", "increment": "PT1H", "cap": "P1D"}),
    ("clock", []),
    ("clock", "fast"),
    ("clock", {"per_move": 10**40}),
    ("on_timeout", []),
    ("on_timeout", [{"do": "scold"}]),
    ("on_timeout", [{"do": "bot-takes-over", "bot": "oracle"}]),
    ("on_timeout", {"do": "abandon"}),
]


@pytest.mark.parametrize(("column", "value"), TERMS, ids=[f"{name} {value}" for name, value in TERMS])
def test_invalid_clocks_and_time_out_policies_fall_back_to_the_default(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, column: str, value: Any
) -> None:
    with app.app_context():
        write(f"UPDATE games SET {column} = %s WHERE game_id = %s", Jsonb(value), id_of(table))
        forget_tables(id_of(table))
    everything_goes_on(app, table, ada, bea, office)
    assert f"game {id_of(table)}, {column}" in doctor(app)


@pytest.mark.parametrize("column", ["bot", "stand_in"])
def test_an_unknown_bot_is_replaced_by_another_bot(
    app: Flask, ada: Someone, bea: Someone, no_limits: None, column: str
) -> None:
    path = opened(ada, BOT, ME, BOT, rules="sternenhimmel", options={"start_seat": 1})
    seat = 0 if column == "bot" else 1
    with app.app_context():
        service_is_up()
        write(
            f"UPDATE seats SET {column} = 'oracle', wake_at = made_at FROM games WHERE games.game_id = seats.game_id"
            " AND seats.game_id = %s AND seat = %s",
            id_of(path),
            seat,
        )
        forget_tables(id_of(path))
        before = load(id_of(path)).version
        if column == "bot":
            assert ada.post(f"{path}/moves", first_move(ada, path)).status_code == 201
            before += 1
        assert doctor(app)[f"game {id_of(path)}, seat {seat}, {column}"]
        wake_due()
        assert load(id_of(path)).version > before
        write("UPDATE seats SET stand_in = NULL WHERE game_id = %s", id_of(path))


@pytest.mark.parametrize("hours", [[], "always", {}, {"zone": 5, "calendar": {"night": 5}}, {"calendar": [1]}])
def test_unreadable_calendar_hours_do_not_block_a_turn(
    app: Flask, table: str, ada: Someone, bea: Someone, hours: Any
) -> None:
    assert ada.post(f"{table}/moves", first_move(ada, table)).status_code == 201
    with app.app_context():
        write("UPDATE seats SET hours = %s WHERE game_id = %s AND seat = 1", Jsonb(hours), id_of(table))
        forget_tables(id_of(table))
        for _ in range(8):
            later(DAY)
            wake_due()
        assert "time-ran-out" in happened(id_of(table))


@pytest.mark.parametrize("mails", ["by-pigeon", ""])
def test_an_invalid_choice_for_one_game_falls_back_to_the_general_one(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, mails: str
) -> None:
    with app.app_context():
        write("UPDATE seats SET mails = %s WHERE game_id = %s AND seat = 1", mails, id_of(table))
    everything_goes_on(app, table, ada, bea, office)
    assert bea.get(f"{table}/seats/me").json["mails"] is None
    assert f"game {id_of(table)}, seat 1, mails" in doctor(app)


PLANS: list[Any] = [
    {},
    "later",
    [5],
    [{}],
    [{"move": {"star": "1"}, "after": "soon", "if": []}],
    [{"move": "x", "after": "PT0S", "if": [{"at": 5, "is": 1}]}],
    [{"move": "x", "after": "PT0S", "if": ["rain"]}],
    [{"move": ["x"], "after": "PT0S", "if": []}],
]


@pytest.mark.parametrize("moves", PLANS, ids=str)
def test_an_unreadable_plan_ends(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, moves: Any
) -> None:
    with app.app_context():
        write(
            "INSERT INTO plans (game_id, seat, revision, version, moves, done, played) VALUES (%s, 1, 1, 1, %s, 0, '[]')",
            id_of(table),
            Jsonb(moves),
        )
        write("UPDATE seats SET planned = true WHERE game_id = %s AND seat = 1", id_of(table))
        forget_tables(id_of(table))
    assert bea.get(f"{table}/seats/me/plan").status_code == 200
    assert ada.post(f"{table}/moves", first_move(ada, table)).status_code == 201
    with app.app_context():
        wake_due()
        assert letters(id_of(table), "your-turn")
        assert "/t/" in office.mails("bea")[-1].text
        for _ in range(8):
            later(DAY)
            wake_due()
        assert "time-ran-out" in happened(id_of(table))


STAND_INS: list[Json] = [
    {"player_id": None, "email": None},
    {"asked_by": NOBODY},
    {"accepted_by": NOBODY},
    {"from_at": 9},
    {"seat": 7},
]


@pytest.mark.parametrize("wrong", STAND_INS, ids=str)
def test_an_invalid_stand_in_request_is_ignored(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, wrong: Json
) -> None:
    with app.app_context():
        cleo = person("cleo")
        now = db.session.scalar(text("SELECT now()"))
        row = {
            "seat": 1,
            "asked_by": person("bea"),
            "player_id": cleo,
            "email": None,
            "accepted_by": cleo,
            "from_at": now + HOUR,
            "until_at": now + 2 * DAY,
        } | wrong
        if row["from_at"] == 9:
            row["from_at"] = now + 9 * DAY
        db.session.add(StandIn(game_id=id_of(table), mark=5, wake_at=now + HOUR, **row))
        db.session.commit()
        found = doctor(app)
    assert f"game {id_of(table)}, seat {row['seat']}, stand-in" in found
    assert bea.get(f"{table}/seats/me/stand-in").status_code == 200
    everything_goes_on(app, table, ada, bea, office)
    with app.app_context():
        assert db.session.scalars(db.select(StandIn).where(StandIn.game_id == id_of(table))).all() == []
        assert "stand-in-began" not in happened(id_of(table))


@pytest.mark.parametrize(
    ("column", "value"), [("url", "nowhere"), ("url", "ftp://x y"), ("form", "teams"), ("kinds", ["your-turn", "x"])]
)
def test_an_invalid_webhook_does_not_delay_the_game_or_its_emails(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, column: str, value: Any
) -> None:
    made = bea.post("/v1/webhooks", {"url": "https://stars.example/hook", "kinds": ["your-turn"]})
    with app.app_context():
        write(f"UPDATE webhooks SET {column} = %s WHERE webhook_id = %s", value, UUID(made.json["id"]))
        bea_id = person("bea")
    everything_goes_on(app, table, ada, bea, office)
    assert f"player {bea_id}, webhook {made.json['id']}, {column}" in doctor(app)


@pytest.mark.parametrize(("column", "value"), [("endpoint", "nowhere"), ("p256dh", b"x"), ("auth", b"")])
def test_an_invalid_push_subscription_does_not_delay_the_game_or_its_emails(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, column: str, value: Any
) -> None:
    with app.app_context():
        made = subscribe(person("bea"), "https://push.example/1", PushReader().keys, sandbox=False)
        write(f"UPDATE push_subscriptions SET {column} = %s WHERE subscription_id = %s", value, made["id"])
        bea_id = person("bea")
    everything_goes_on(app, table, ada, bea, office)
    field = "endpoint" if column == "endpoint" else "keys"
    assert f"player {bea_id}, push subscription {made['id']}, {field}" in doctor(app)


OPTIONS: list[Any] = [
    {"edition": "withdrawn"},
    {"start_seat": 99},
    {"revision": "newest"},
    {"nameless": "yes"},
    {"ready_check": 5},
    {"take_back": ["x"]},
    [],
    "none",
    None,
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_game_with_invalid_options_does_not_affect_other_games(
    app: Flask, table: str, ada: Someone, bea: Someone, office: Office, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = opened(ada, ME, OPEN, BOT, options={"start_seat": 0})
    assert bea.post(f"{other}/seats", {}).status_code == 201
    bad = id_of(table)
    with app.app_context():
        write("UPDATE games SET options = %s WHERE game_id = %s", Jsonb(options), bad)
        forget_tables(bad)
    is_problem(ada.get(table), 503, "unavailable")
    calls_need_no_rules(ada, table)
    listed = {it["id"]: it for it in ada.get("/v1/games?mine=true").json["items"]}
    assert listed.keys() >= {table[-36:], other[-36:]}
    everything_goes_on(app, other, ada, bea, office)
    assert f"game {bad}, options" in doctor(app)
    checked = ask("check", DATABASE_URL=app.config["SQLALCHEMY_DATABASE_URI"])
    assert "Traceback" not in checked.output
    assert checked.exception is None or isinstance(checked.exception, SystemExit), checked.exception
    with app.app_context():
        write("UPDATE games SET options = '{}' WHERE game_id = %s", bad)


def test_the_doctor_names_some_invalid_values_and_counts_the_rest(
    app: Flask, bea: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.operations.stored_data.MOST", 2)
    with app.app_context():
        for name in "pqrst":
            person(name)
        write("UPDATE players SET locale = 'tlh'")
        number = db.session.scalar(db.select(db.func.count()).select_from(Player))
    found = doctor(app)
    assert len([part for part in found if part.startswith("player ")]) == 2
    assert found["stored data"] == f"{number - 2} more values are rejected"
