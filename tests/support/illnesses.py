"""Faults of a service, each produced for tests of health and doctor."""

from datetime import timedelta

from sqlalchemy import delete, select, update

from server.accounts.sign_in import begin_sign_in
from server.clock import clock
from server.play.mail import mail_in
from server.play.mail.mail_in import take_mail
from server.store.tables import Delivery, Heartbeat, Incoming, LetterRow, PlayerLetterRow, SeatRow, db
from tests.support.games import game_of, person
from tests.support.live_server import free_port

A_WHILE, LONG = timedelta(minutes=3), timedelta(minutes=11)


def no_beat_ever(part: str) -> None:
    db.session.execute(delete(Heartbeat).where(Heartbeat.part == part))


def an_old_beat(part: str) -> None:
    db.session.execute(update(Heartbeat).where(Heartbeat.part == part).values(at=clock.now() - A_WHILE))


def an_old_letter(_: str) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    db.session.execute(update(LetterRow).values(made_at=clock.now() - LONG, due_at=clock.now() - LONG))


def a_letter_put_off_again_and_again(_: str) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    later = clock.now() + A_WHILE
    db.session.execute(update(LetterRow).values(made_at=clock.now() - LONG, due_at=later, tries=5))


def a_letter_that_our_relay_refuses(_: str) -> None:
    a_letter_put_off_again_and_again(_)
    for row in db.session.scalars(select(LetterRow)):
        about = {"game_id": row.game_id, "letter_id": row.letter_id, "kind": row.kind, "seat": row.seat}
        tried = {"version": row.version, "player_id": row.player_id, "result": "failed", "at": clock.now()}
        for nr, why in enumerate(["421 4.3.2 Closing", "550 5.7.1 <ada@example.org> blocked by policy"]):
            db.session.add(Delivery(nr=nr, detail=why, **about, **tried))


def an_old_code(_: str) -> None:
    begin_sign_in("ada@example.org", "en", None)
    db.session.execute(update(PlayerLetterRow).values(made_at=clock.now() - LONG, due_at=clock.now() - LONG))


def an_old_mail(_: str) -> None:
    game_id = game_of(person("ada"), person("ben"), person("cleo"))
    take_mail(mail_in.reply_word(game_id, 0, 1), "", b"", limited=False)
    db.session.execute(update(Incoming).values(arrived_at=clock.now() - LONG))


def an_overdue_seat(_: str) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    db.session.execute(update(SeatRow).where(SeatRow.seat == 0).values(wake_at=clock.now() - LONG))


ILLNESSES = [
    ("web", no_beat_ever, "not seen yet"),
    ("web", an_old_beat, "not seen since 20"),
    ("worker", no_beat_ever, "not seen yet"),
    ("worker", an_old_beat, "not seen since 20"),
    ("outbox", an_old_letter, "an outgoing email has waited for 0:11:"),
    ("outbox", a_letter_put_off_again_and_again, "an outgoing email has waited for 0:11:"),
    ("outbox", a_letter_that_our_relay_refuses, "an outgoing email has waited for 0:11:"),
    ("outbox", an_old_code, "an outgoing email has waited for 0:11:"),
    ("inbox", an_old_mail, "an inbound email has waited for 0:11:"),
    ("seats", an_overdue_seat, "1 seats wait for the worker"),
]


def unreachable(**more: str) -> dict[str, str]:
    return {"DATABASE_URL": f"postgresql://stars:canary@127.0.0.1:{free_port()}/stars", **more}
