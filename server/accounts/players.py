"""People: signing in by a mailed code, profiles."""

import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

from server.accounts.bans import expect_welcome
from server.accounts.bounces import reached_again, unreachable
from server.accounts.preferences import check_notifications
from server.accounts.rate_limits import Use, count, expect_left, expect_within, forget_old_counts, network_of
from server.accounts.signed_links import keyed_hash, keyed_hashes
from server.accounts.tokens import SCOPES, NewToken, new_token
from server.errors import BadField, Unfit, WrongCode
from server.play import clock as clocks
from server.play.clock import clock
from server.rules import Json
from server.sanitize import clean
from server.store.connections import tried_again
from server.store.outbox import put_into_bundle
from server.store.tables import Player, PlayerLetter, SignIn, db

CODE_LIFE = timedelta(minutes=10)
CODE_TRIES = 5
_CODE = "sign-in code"
_LONGEST_NAME = 40
_STARS = ("Altair", "Antares", "Bellatrix", "Capella", "Deneb", "Mira", "Polaris", "Pollux", "Rigel", "Spica", "Vega")


def begin_sign_in(email: str, locale: str, sender: str | None) -> UUID:
    """Mail a code and a link to this address; the same answer whether or not anybody is known there.

    `sender` is the network address that asks; None if an operator does, whom nothing limits. Raises TooMany.
    """
    sign_in = uuid4()
    _begin_sign_in(sign_in, email, locale, sender)
    return sign_in


@tried_again
def _begin_sign_in(sign_in: UUID, email: str, locale: str, sender: str | None) -> None:
    if db.session.get(SignIn, sign_in) is not None:  # a commit whose answer was lost
        return
    now, code = clock.now(), f"{secrets.randbelow(10**6):06}"
    if sender is None or _may_be_mailed(email, network_of(sender)):
        db.session.add(
            SignIn(
                sign_in=sign_in,
                email=email,
                locale=locale,
                code_hash=keyed_hash(_CODE, f"{sign_in}/{code}"),
                tries=0,
                expires_at=now + CODE_LIFE,
            )
        )
        db.session.add(
            PlayerLetter(
                player_id=sign_in,
                letter_id=uuid4(),
                dedupe="sign-in-code/mail",
                kind="sign-in-code",
                data={"to": email, "code": code, "sign_in": str(sign_in)},
                made_at=now,
                due_at=now,
                tries=0,
            )
        )
    db.session.commit()


def _may_be_mailed(email: str, network: str) -> bool:
    """Whether one more code may go to this address; nobody is told which addresses get no more. Raises TooMany."""
    expect_within(Use("sign-ins", network))
    return all(left >= 0 for left in count(Use("codes", email), Use("codes-daily", email)).values())


def forget_old_codes() -> None:
    """Drop codes and counts that matter no more."""
    db.session.execute(delete(SignIn).where(SignIn.expires_at < clock.now()))
    forget_old_counts()
    db.session.commit()


def redeem(sign_in: UUID, code: str) -> NewToken:
    """A token with all scopes for a mailed code, and an account if there was none. Raises WrongCode, TooMany, Banned."""
    now = clock.now()
    row = db.session.execute(select(SignIn).where(SignIn.sign_in == sign_in).with_for_update()).scalar_one_or_none()
    if row is None or row.expires_at <= now or row.tries >= CODE_TRIES:
        raise WrongCode("This code is wrong, used up or too old. Ask for a new one.")
    wrong = Use("wrong-codes", row.email)
    expect_left(wrong)
    known = keyed_hashes(_CODE, f"{sign_in}/{code}")
    if not any(secrets.compare_digest(row.code_hash, it) for it in known):
        row.tries += 1
        count(wrong)
        db.session.commit()
        raise WrongCode("This code is wrong, used up or too old. Ask for a new one.")
    db.session.delete(row)
    player_id = player_of(row.email, row.locale)
    expect_welcome(player_id)
    if reached_again(player_id):
        put_into_bundle(player_id, now, now)  # what waits by now has not reached him
    token = new_token(player_id, "sign-in", SCOPES, None, now)
    db.session.commit()
    return token


def player_token(email: str, name: str | None = None) -> str:
    """A token with all scopes for the player of this address, who is made if need be. For operators and tests.

    `name`: of somebody who is new here.
    """
    now = clock.now()
    token = new_token(player_of(email, "en", name), "operator", SCOPES, None, now)
    db.session.commit()
    return token.text


def player_of(email: str, locale: str, name: str | None = None) -> UUID:
    """The player of this address, made if need be, as part of the transaction under way.

    `name`: of somebody who is new here; without one he bears a name that says nothing of him until he chooses.
    """
    name = clean(name or "", _LONGEST_NAME)
    new = insert(Player).values(
        player_id=uuid4(),
        email=email,
        name=name or made_up_name(),
        named=bool(name),
        locale=locale,
        zone="UTC",
        calendar={},
        notifications={},
        made_at=clock.now(),
    )
    db.session.execute(new.on_conflict_do_nothing(index_elements=["email"]))
    return db.session.execute(select(Player.player_id).where(Player.email == email)).scalar_one()


def made_up_name() -> str:
    """A name for somebody who has not chosen one: a star's, and a number. Others may bear the same."""
    return f"{secrets.choice(_STARS)} {1000 + secrets.randbelow(9000)}"


def profile(player_id: UUID) -> Json:
    """What a player sees of himself."""
    player = db.session.get_one(Player, player_id)
    return {
        "id": player.player_id,
        "email": player.email,
        "name": player.name,
        "named": player.named,
        "locale": player.locale,
        "zone": player.zone,
        "calendar": player.calendar,
        "notifications": player.notifications,
        "unreachable": unreachable(player.unreachable_since, player.unreachable_why),
    }


def change_profile(player_id: UUID, changes: Json) -> Json:
    """Change some fields of a profile; time counts by it from the next turn on. Raises BadField."""
    player = db.session.get_one(Player, player_id)
    new: dict[str, Any] = dict(changes)
    if "name" in new:
        new["name"], new["named"] = clean(new["name"], _LONGEST_NAME), True
        if not new["name"]:
            raise BadField("name", "A name needs at least one visible character.")
    for field, check in (
        ("zone", clocks.time_zone),
        ("calendar", lambda calendar: _check_calendar(player, calendar, new.get("zone", player.zone))),
        ("notifications", check_notifications),
    ):
        if field in new:
            try:
                check(new[field])
            except Unfit as error:
                raise BadField(field, error.words) from None
    if new:
        db.session.execute(update(Player).where(Player.player_id == player_id).values(**new))
        db.session.commit()
    return profile(player_id)


def _check_calendar(player: Player, data: Json, zone: str) -> None:
    before, after = clocks.calendar(player.calendar, player.zone), clocks.calendar(data, zone)
    clocks.keep_vacations(before, after, clock.now())
