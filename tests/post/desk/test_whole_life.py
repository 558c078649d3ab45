"""The whole life of an account by email, in each language: one person with only a mailbox."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from server.accounts.players import player_at, profile
from server.games import GAMES
from server.play.archive import check
from server.play.commits import load
from server.play.seating.games import open_game
from server.post.desk.commands import BY_NAME
from server.post.desk.rule_texts import options_of, rule_sections
from server.render.text_layout import punctuated
from server.store import desk
from server.store.tables import Player, db
from server.translations import language, times
from tests.post.desk.writing import DESK, Correspondent
from tests.post.office import Mail
from tests.support.games import BOT, ME, OPEN, everything_due_happens, person, wanted

GREETINGS = {
    "en": "Hello, how can I play with you?",
    "de": "Hallo, wie kann ich mitspielen?",
    "fr": "Bonjour, je voudrais jouer avec vous",
    "it": "Ciao, come posso giocare?",
}


def attached(mail: Mail) -> Any:
    [part] = mail.message.iter_attachments()
    return json.loads(part.get_content())


def said(locale: str, line: str) -> str:
    """A line with the command's word in this language."""
    name = max((it for it in BY_NAME if line == it or line.startswith(f"{it} ")), key=len)
    return BY_NAME[name].written(locale, line)


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def is_played_by(player_id: UUID) -> bool:
    """Return whether this player plays their first game, and no bot."""
    game = load(desk.game_of(player_id, 1))  # type: ignore[arg-type]  # they have one
    return game.table.stand_ins[game.seat_of(player_id) or 0] is None


@pytest.mark.parametrize("locale", GREETINGS)
def test_a_player_can_do_everything_by_email_alone(mailbox: Callable[[str], Correspondent], locale: str) -> None:
    ann, bob = mailbox("ann@example.net"), mailbox("bob@example.org")

    def asks(*lines: str) -> Mail:
        answer = ann.asks("\n".join(said(locale, line) for line in lines))
        assert max(map(len, answer.text.splitlines())) <= 76
        return answer

    # First contact
    (hello,) = ann.sends(DESK, GREETINGS[locale])
    assert player_at(ann.email) is None
    (welcome,) = ann.answers(hello.reply_to, f"{said(locale, 'play')} sternenhimmel start_seat=1\n\nAnn", "Re: Hi")
    ann_id = player_at(ann.email)
    assert ann_id and profile(ann_id)["locale"] == locale
    assert welcome.message["In-Reply-To"]
    for letter in (hello, welcome):
        assert language(locale).gettext("Reply above this line: a command, or help") in letter.text
    assert welcome.subject == "Re: Hi"

    # Settings
    asks(
        "set name Ann",
        "set zone Europe/Rome",
        "set nights 22:00-08:00",
        "set days-off sat sun",
        "set reminders half 3h",
    )
    asks("set mails at-once", "vacation 2027-07-01..2027-07-14")
    known = profile(ann_id)
    assert (known["name"], known["zone"]) == ("Ann", "Europe/Rome")
    vacations = [{"from": "2027-07-01", "to": "2027-07-14"}]
    assert known["calendar"] == {"night": "22:00-08:00", "days_off": [6, 7], "vacations": vacations}
    assert known["notifications"]["reminders"] == ["half", "PT3H"]
    assert "Europe/Rome" in asks("settings").text

    # Games
    for game in GAMES:
        told = asks(f"rules {game}")
        sections = rule_sections(game, locale, options_of(game))
        assert len(sections) > 10
        shown = in_one_line(told.text)
        expected = [it for section in sections for it in (section.title.upper(), *section.lines)]
        assert [it for it in expected if in_one_line(it) not in shown] == []
        assert not re.search(r"[{}]", told.text + told.page.partition("</style>")[2])
    seen = asks("games", "show 1", "show 1 at 1", "history 1", "standings 1")
    assert [it.get_content_type() for it in seen.message.walk()].count("image/png") == 2
    assert punctuated("Ann: ", locale) in seen.text
    asks("new sternenhimmel 3 players 2 days per move", "invite bob@example.org to 2")
    invitation = bob.mails()[-1]
    bob.sends(invitation.reply_to, "yes")
    assert player_at(bob.email)
    asks("find sternenglanz 2")
    asks("cancel find")
    asks("leave 2")
    open_game(person("host"), wanted(ME, OPEN, BOT, clock={"per_move": "P3D"}))
    listed = in_one_line(asks("games", "open").text)
    assert " 2 Sternenhimmel" in listed
    assert times.span(timedelta(days=3), language(locale)) in listed

    # The end of a game, which bots finish after she has resigned
    agreed = {"en": "Yes!", "de": "ja", "fr": "oui", "it": "Sì"}[locale]
    assert f"\n- {said(locale, 'leave 1')}\n" in asks("leave 1").text
    assert is_played_by(ann_id)
    ann.asks(agreed)
    assert not is_played_by(ann_id)
    everything_due_happens()
    done = asks("standings 1", "standings", "archive 1")
    assert check(json.dumps(attached(done)).encode()).table.status == "finished"
    scores = re.findall(r"^- 1\..+", done.text, re.MULTILINE)
    assert scores and scores[0] in asks("show 1").text

    # Data, and goodbye
    assert attached(asks("export"))["profile"]["email"] == ann.email
    asks("goodbye")
    assert player_at(ann.email)
    farewell = ann.asks(agreed)
    assert farewell.to == ann.email
    assert player_at(ann.email) is None
    assert db.session.get_one(Player, ann_id).deleted_at is not None
