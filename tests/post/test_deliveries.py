"""Players can see every letter to them and its delivery."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from server.accounts.deliveries import deliveries
from server.accounts.players import change_profile, player_token
from server.accounts.sign_in import begin_sign_in
from server.clock import clock
from server.play.seating.games import open_game
from server.post.delivery import GIVE_UP
from server.store.tables import db
from tests.post.office import Office
from tests.support.games import DAY, HOUR, ME, OPEN, game_of, later, moves_on, person, wanted

pytestmark = pytest.mark.usefixtures("within")


def seen_by(who: UUID) -> list[tuple[str, str]]:
    """Kind and result of all letters, the newest first."""
    return [(it["kind"], it["result"]) for it in deliveries(who, None, 100).items]


def test_an_email_is_listed_as_waiting_and_then_as_sent(ada: UUID, bea: UUID, office: Office) -> None:
    game_id = game_of(ada, bea, bots=1, title="A clear night")
    (waiting,) = deliveries(ada, None, 20).items
    assert (waiting["result"], waiting["tries"], waiting["detail"]) == ("waiting", 0, "")
    office.delivers()
    (sent,) = deliveries(ada, None, 20).items
    assert sent == waiting | {"result": "sent", "tries": 1, "at": sent["at"]}
    assert (sent["game"], sent["title"], sent["version"]) == (game_id, "A clear night", 1)
    assert str(sent["letter"]) in office.mails("ada")[0].message["Message-ID"]


def test_emails_are_sent_even_if_a_later_release_added_a_column(
    ada: UUID, bea: UUID, office: Office, shared_url: str
) -> None:
    for _ in range(8):  # so that what claims a letter is prepared
        game_of(ada, bea, bots=1)
    office.delivers()
    with psycopg.connect(shared_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE outbox ADD COLUMN of_later integer")
        try:
            game_of(ada, bea, bots=1)
            office.delivers()
            assert seen_by(ada) == [("your-turn", "sent")] * 9
        finally:
            db.session.rollback()
            owner.execute("ALTER TABLE outbox DROP COLUMN of_later")


def test_players_see_only_their_own_emails(ada: UUID, bea: UUID, office: Office) -> None:
    game_of(ada, bea, bots=1)
    office.delivers()
    assert seen_by(bea) == []


def test_an_email_shows_why_it_waits_and_when_it_was_given_up(ada: UUID, bea: UUID, office: Office) -> None:
    office.is_closed = True
    game_of(ada, bea, bots=1)
    office.delivers()
    (letter,) = deliveries(ada, None, 20).items
    assert (letter["result"], letter["tries"]) == ("waiting", 1)
    assert letter["detail"] == "The mail server is closed."
    later(GIVE_UP + HOUR)
    office.delivers()
    assert seen_by(ada) == [("your-turn", "given-up")]


def test_sign_in_codes_of_known_players_are_listed(ada: UUID, office: Office) -> None:
    begin_sign_in("ada@example.org", "en", None)
    begin_sign_in("stranger@example.org", "en", None)
    office.delivers()
    assert seen_by(ada) == [("sign-in-code", "sent")]
    (code,) = deliveries(ada, None, 20).items
    assert (code["game"], code["title"], code["version"]) == (None, None, None)
    assert seen_by(person("stranger")) == []


def test_invitations_of_known_players_are_listed(ada: UUID, bea: UUID, office: Office) -> None:
    open_game(ada, wanted(ME, {"email": "bea@example.org"}, OPEN))
    office.delivers()
    assert seen_by(bea) == [("invitation", "sent")]


def test_bundled_emails_and_their_bundle_are_listed(ada: UUID, bea: UUID, office: Office) -> None:
    change_profile(ada, {"notifications": {"mails": {"your-turn": "bundled"}}})
    game_of(ada, bea, bots=1, clock={"per_move": "P9D"})
    office.delivers()
    assert seen_by(ada) == [("your-turn", "bundled"), ("bundle", "waiting")]
    later(DAY)
    office.delivers()
    assert seen_by(ada) == [("bundle", "sent"), ("your-turn", "bundled")]


def test_the_reason_for_not_sending_is_in_the_readers_language(
    app: Flask, ada: UUID, bea: UUID, office: Office
) -> None:
    change_profile(ada, {"notifications": {"mails": {"your-turn": "off"}}, "locale": "de"})
    game_of(ada, bea, bots=1)
    office.delivers()
    headers = {"Authorization": f"Bearer {player_token('ada@example.org')}"}
    (letter,) = app.test_client().get("/v1/me/deliveries", headers=headers).get_json()["items"]
    assert (letter["result"], letter["detail"]) == ("dropped", "Du hast diese E-Mails abgestellt.")


def test_each_email_is_on_exactly_one_page_with_the_newest_first(ada: UUID, bea: UUID, office: Office) -> None:
    for number in range(3):
        game_id = game_of(ada, bea, bots=1)
        office.delivers()
        later(HOUR)
        moves_on(game_id, ada)
        if number == 1:
            begin_sign_in("ada@example.org", "en", None)
    found: list[Any] = []
    cursor = None
    while True:
        page = deliveries(ada, cursor, 2)
        found += page.items
        cursor = page.next
        if cursor is None:
            break
        assert len(page.items) == 2
    assert found == deliveries(ada, None, 100).items
    assert len({it["letter"] for it in found}) == len(found) == 4
    assert [it["at"] for it in found] == sorted((it["at"] for it in found), reverse=True)
    assert found[0]["at"] <= clock.now()
