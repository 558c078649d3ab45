"""All that a first email wishes for: games, levels, friends, quiet hours, few emails and a name."""

import re
from collections.abc import Callable

import pytest

from server.accounts.players import player_at, profile
from server.games import GAMES
from server.play.commits import load
from server.post.desk.addresses import Offered, offered_to_stranger, opened, stranger_word
from server.post.desk.setting_wishes import wished_settings
from server.store import desk
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import DESK, Correspondent


def bots_of(ann: Correspondent) -> dict[str, list[str | None]]:
    player_id = player_at(ann.email)
    assert player_id
    games = map(load, desk.numbers(player_id))
    return {it.head.rules: [it.bot_at(row.seat) for row in it.seats if row.kind == "bot"] for it in games}


@pytest.mark.parametrize(
    ("wish", "yes", "night"),
    [
        (
            (
                "Hi there,\n\nI'd like to play Sternenglanz against a hard bot and Sternenhimmel against two easy bots. "
                "My name is Mira, please no mails between 22 and 7, and one mail a day is plenty.\n\nThanks!\nMira"
            ),
            "yes\n\nSent from my iPhone",
            "22:00-07:00",
        ),
        (
            (
                "Hallo, ich möchte Sternenglanz gegen einen schweren Bot und Sternenhimmel gegen zwei leichte Bots spielen. "
                "Nachts von 23 bis 6 Uhr bitte Ruhe, und eine Mail am Tag reicht mir.\n\nViele Grüße\nTimo"
            ),
            "Ja, gerne!",
            "23:00-06:00",
        ),
    ],
)
def test_a_yes_carries_out_every_wish_of_a_first_email(ann: Correspondent, wish: str, yes: str, night: str) -> None:
    (hello,) = ann.sends(DESK, wish)
    assert f" {night}: " in hello.text and "Mira" not in hello.text
    ann.sends(hello.reply_to, yes)
    assert bots_of(ann) == {"sternenglanz": ["level-4"], "sternenhimmel": ["level-1"] * 2}
    player_id = player_at(ann.email)
    assert player_id
    found = profile(player_id)
    assert found["calendar"]["night"] == night
    assert set(found["notifications"]["mails"].values()) == {"bundled"}


def test_a_first_email_says_which_wishes_a_yes_cannot_carry_out(ann: Correspondent) -> None:
    wish = "I'd like to play Sternenhimmel against a bot and Sternenglanz with eva@example.org. Call me Ron. I live in Rome."
    (hello,) = ann.sends(DESK, wish)
    told = " ".join(hello.text.split())
    assert "- new sternenglanz eva@example.org: " in told and "- set zone Europe/Rome: " in told
    assert "Please copy the lines that you want into your reply." in told
    assert "Please write your name once more in your reply" in told
    (welcome, *_) = ann.answers(hello.reply_to, "yes")
    assert list(bots_of(ann)) == ["sternenhimmel"]
    assert "We couldn't do every line of our first email." in " ".join(welcome.text.split())
    ann.asks("new sternenglanz eva@example.org\nset zone Europe/Rome\nname Ron")
    assert list(bots_of(ann)) == ["sternenhimmel", "sternenglanz"]


@pytest.mark.parametrize(
    ("wish", "yes", "line"),
    [
        (
            "I'd like to play Sternenhimmel with eva@example.org and an easy bot.",
            "Yes please!\n\nSent from my iPhone",
            "new sternenhimmel eva@example.org bots=1 level=1",
        ),
        ("Ich möchte mit eva@example.org Sternenglanz spielen.", "Ja, gerne", "neu sternenglanz eva@example.org"),
    ],
)
def test_a_yes_above_our_quoted_email_only_has_to_confirm_an_invitation(
    ann: Correspondent, mailbox: Callable[[str], Correspondent], wish: str, yes: str, line: str
) -> None:
    (hello,) = ann.sends(DESK, wish)
    quoted = "\n".join(f"> {it}" for it in hello.text.splitlines())
    (welcome,) = ann.answers(hello.reply_to, f"{yes}\n\nOn 27 Nov 2026 Sternenpost <x@y.org> wrote:\n{quoted}")
    assert f"- {line}: " in " ".join(welcome.text.split())
    eva = mailbox("eva@example.org")
    assert not eva.mails() and bots_of(ann) == {}
    ann.asks("yes")
    assert len(eva.mails()) == len(bots_of(ann)) == 1


def test_either_of_two_games_is_asked_for(ann: Correspondent) -> None:
    (hello,) = ann.sends(
        DESK, "I'd like to play Sternenglanz or Sternenhimmel against an easy bot. Quiet from 22 to 7, please."
    )
    ann.sends(hello.reply_to, "yes")
    assert bots_of(ann) == {}
    ann.asks("the second one")
    assert list(bots_of(ann).values()) == [["level-1"] * (len(next(iter(bots_of(ann).values()))))]
    player_id = player_at(ann.email)
    assert player_id and profile(player_id)["calendar"]["night"] == "22:00-07:00"


def test_a_player_is_offered_every_wish_of_an_email_at_once(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    wish = ann.asks(
        "Please set up a game of Sternenglanz with tom@example.org and a strong bot, 3 days per move. "
        "No emails between 22 and 7. And can I have the rules of Sternenhimmel?"
    )
    told = " ".join(wish.text.split())
    for line in (
        "new sternenglanz tom@example.org bots=1 level=4 3 days per move",
        "rules sternenhimmel",
        "set nights 22:00-07:00",
    ):
        assert f"- {line}: " in told
    ann.asks("Yes please")
    assert bots_of(ann) == {"sternenglanz": ["level-4"]}
    assert profile(player_id)["calendar"]["night"] == "22:00-07:00"


@pytest.mark.parametrize(
    ("sentence", "settings"),
    [
        (
            "My name is Mira, no mails between 22 and 7, and one mail a day is plenty.",
            {"nights": "22:00-07:00", "mails": "bundled"},
        ),
        ("Nachts von 23 bis 6 Uhr bitte Ruhe.", {"nights": "23:00-06:00"}),
        ("Quiet hours 22-7 please", {"nights": "22:00-07:00"}),
        ("Bitte nur eine Mail am Tag und nachts nichts", {"nights": "22:00-08:00", "mails": "bundled"}),
        ("Je dors de 23h à 7h et je veux un seul mail par jour", {"nights": "23:00-07:00", "mails": "bundled"}),
        ("I never play on Saturdays and Sundays", {"days-off": "6 7"}),
        ("Few mails, please", {"mails": "bundled"}),
        ("Bitte nicht so viele Mails", {"mails": "bundled"}),
        ("Could five to seven people play?", {}),
    ],
)
def test_a_sentence_wishes_for_several_settings(sentence: str, settings: dict[str, str]) -> None:
    assert dict(wished_settings(sentence)) == settings


@pytest.mark.parametrize(
    "offered",
    [
        Offered(
            "it",
            ("play sternenglanz 4 level=6 30 days per move", "find sternenhimmel 5 72 hours per move"),
            is_all=True,
        ),
        Offered("en", tuple(f"play {game}" for game in GAMES), ("nights 23:00-23:00", "mails off", "days-off 1 7")),
        Offered("de", (), ("mails bundled 08:00 20:00",)),
    ],
)
def test_the_reply_address_of_a_first_email_holds_its_offer(ann: Correspondent, offered: Offered) -> None:
    word = stranger_word(ann.email, offered)
    capability = opened(word)
    assert re.fullmatch(r"[a-z2-7]{1,64}", word)
    assert capability and offered_to_stranger(capability) == offered


def test_a_reply_address_says_if_it_cannot_hold_everything(ann: Correspondent) -> None:
    capability = opened(
        stranger_word(ann.email, Offered("en", ("play sternenglanz", "new sternenglanz bob@example.org")))
    )
    assert capability and offered_to_stranger(capability) == Offered("en", ("play sternenglanz",), is_cut=True)
