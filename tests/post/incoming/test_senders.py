"""Senders: the player, a stranger or a program, and the limits of our replies."""

import re
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.rate_limits import most_of, window_of
from server.clock import clock
from server.config import Bound
from server.play.mail.mail_in import reply_word
from server.play.turns.turn_links import turn_word
from server.post.incoming.answering import deal_with_mails
from server.store.tables import RateLimit, db
from tests.post.incoming.replying import DOMAIN, a_move, ada_writes, confirmation_in, messages, turn_of_ada
from tests.post.office import Office, a_mail, arrives
from tests.support.games import HOUR, game_of, happened, later, person

pytestmark = pytest.mark.usefixtures("within")


def no_answer(office: Office, text: str, **more: str) -> bool:
    before = office.mails("ada")
    arrives(before[-1].reply_to, a_mail(text, **more))
    deal_with_mails()
    return office.mails("ada") == before


# Senders


def test_the_players_address_is_case_insensitive(office: Office, game_id: UUID, ada: UUID) -> None:
    ada_writes(office, a_move(game_id, ada), From="Ada L. <ADA@Example.org>")
    assert "star-placed" in happened(game_id)


def test_an_email_from_another_address_counts_once_the_player_confirms(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    line = a_move(game_id, ada)
    asked = ada_writes(office, f"{line}\nsay From my other desk.", sender="ada@work.example")
    assert "We received an email for your seat from ada@work.example" in asked.text
    assert f"\n  {line}\n  say From my other desk.\n" in asked.text
    assert "star-placed" not in happened(game_id)
    assert asked.to == "ada@example.org"
    answer = ada_writes(office, confirmation_in(asked), sender="ada@work.example")  # the code proves that it is her
    assert f"your move was played: {line}" in answer.text
    assert messages(game_id) == ["From my other desk."]


def test_other_players_confirmations_do_not_count(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    line = f"please put my {a_move(game_id, ada)}"
    asked = ada_writes(office, line, sender="eve@example.net")
    assert f"\n  {line}\n" in asked.text  # quoted as it came
    beas = reply_word(game_id, 1, 1)
    arrives(f"{beas}@{DOMAIN}", a_mail(confirmation_in(asked), sender="bea@example.org"))
    ada_writes(office, "confirm 0123456789", sender="eve@example.net")
    assert "star-placed" not in happened(game_id)


@pytest.mark.parametrize(
    "doubtful", ["ada@example.org, eve@example.net", "ada@example.org <eve@example.net>", "undisclosed-recipients:;"]
)
def test_a_doubtful_sender_is_treated_as_unknown(office: Office, game_id: UUID, ada: UUID, doubtful: str) -> None:
    raw = a_mail(a_move(game_id, ada)).replace(b"From: ada@example.org", b"From: " + doubtful.encode())
    office.mails("ada")
    arrives(office.mails("ada")[-1].reply_to, raw)
    deal_with_mails()
    assert "star-placed" not in happened(game_id)
    assert "please confirm" in office.mails("ada")[-1].text


# Machines


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"Return-Path": "<>"},
        {"X-Loop": "sternenpost"},
        {"Subject": "Out of office: away"},
    ],
    ids=str,
)
def test_automatic_emails_do_nothing_and_are_not_replied_to(
    office: Office, game_id: UUID, ada: UUID, headers: dict[str, str]
) -> None:
    assert no_answer(office, a_move(game_id, ada), **headers)
    assert "star-placed" not in happened(game_id)


def test_our_own_replies_are_not_replied_to(office: Office, game_id: UUID) -> None:
    answer = ada_writes(office, "?")
    arrives(answer.reply_to, answer.raw)
    deal_with_mails()
    assert office.mails("ada")[-1] == answer


def test_replies_to_emails_without_a_move_are_limited(office: Office, game_id: UUID, ada: UUID) -> None:
    answers = [ada_writes(office, "Thank you for your mail.") for _ in range(most_of("answers").most)]
    ends = [("this is the last one for now" in it.text, "this is the last one for now" in it.page) for it in answers]
    assert ends == [*[(False, False)] * (most_of("answers").most - 1), (True, True)]
    link = f"http://127.0.0.1:8000/t/{turn_word(game_id, 0, turn_of_ada(game_id) or 0)}"
    assert f"You can also play here: {link}" in answers[-1].text
    assert no_answer(office, "Thank you for your mail.")
    assert "your move was played" in ada_writes(office, a_move(game_id, ada)).text
    later(HOUR)
    assert "It isn't your turn" in ada_writes(office, "?").text


def test_only_repeated_emails_use_up_the_replies(
    app: Flask, office: Office, game_id: UUID, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "answers", Bound(2, 3600))
    learner = ["?", "hint", *(f"{number} virgo z" for number in range(1, 5))]
    assert not any("this is the last one for now" in ada_writes(office, text).text for text in learner)
    assert "this is the last one for now" not in ada_writes(office, "?").text
    last = ada_writes(office, "hint")
    assert "this is the last one for now" in last.text
    assert no_answer(office, "hint")
    assert "1 virgo y" in ada_writes(office, "1 virgo y").text


def test_the_last_reply_says_when_replies_resume(
    app: Flask, office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "answers", Bound(1, 3600))
    earliest = window_of("answers", clock.now()) + HOUR
    last = ada_writes(office, "Thank you for your mail.")
    latest = window_of("answers", clock.now()) + HOUR
    told = re.search(r"the last one for now[^.]* until ([^.]*)\.", " ".join(last.text.split()))
    assert told
    assert f"{earliest:%H:%M}" in told[1] or f"{latest:%H:%M}" in told[1]


def test_replies_to_one_sender_are_limited_across_games(
    app: Flask, office: Office, ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "answers-to-sender", Bound(3, 3600))
    ends = []
    for _ in range(3):
        game_of(ada, bea, bots=1)
        ends.append("this is the last one for now" in ada_writes(office, "Thank you for your mail.").text)
    assert ends == [False, False, True]
    assert no_answer(office, "Thank you for your mail.")


def test_an_email_with_a_forged_sender_does_not_use_up_replies_to_the_real_sender(
    app: Flask, office: Office, ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bea writes as Ada to the reply address of her own seat. We reply to Bea."""
    monkeypatch.setitem(app.config["BOUNDS"], "answers-to-sender", Bound(3, 3600))
    game_of(bea, person("cem"), bots=1)
    address = office.mails("bea")[-1].reply_to
    for _ in range(5):
        arrives(address, a_mail("Thank you for your mail.", sender="ada@example.org"))
    deal_with_mails()
    game_of(ada, bea, bots=1)
    assert "this is the last one" not in ada_writes(office, "Thank you for your mail.").text


def test_an_email_without_a_readable_sender_counts_toward_its_players_limit(
    office: Office, ada: UUID, bea: UUID
) -> None:
    game_id = game_of(ada, bea, bots=1)
    ada_writes(office, "Thank you for your mail.", sender="")
    counted = set(db.session.scalars(db.select(RateLimit.key).where(RateLimit.key.startswith("answers"))))
    assert counted == {f"answers {game_id}/0", "answers-to-sender ada@example.org"}
