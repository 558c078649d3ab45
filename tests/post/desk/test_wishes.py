"""Sentences that wish for a game or give a name: the desk offers lines, or starts the game if nothing is in doubt."""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import parse_qs
from uuid import UUID

import pytest

from server.accounts.players import player_at, profile
from server.games import GAMES
from server.play.commits import load
from server.post.desk.arguments import USUAL_BOT
from server.post.desk.counter import deal_with_desk
from server.post.desk.reading import read_request
from server.post.desk.rule_texts import game_in_short
from server.post.desk.wishes import first_name_of
from server.post.incoming.replies import Mail
from server.store import desk
from server.translations import LOCALES, language
from server.worker import RECORDS
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import DESK, Correspondent
from tests.support.games import everything_due_happens


def wishes(text: str, subject: str = "") -> list[str]:
    mail = Mail("ann@example.net", False, tuple(text.splitlines()), None, subject, None)
    request = read_request(mail, "en")
    assert not any(it.command for it in request.asked)
    return [f"{it.command} {it.rest}" for it in request.wishes]


def of_every_game(*commands: str) -> list[str]:
    return [f"{command} {game}" for command in commands for game in GAMES]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "can i play sternenglanz against a bot please? my name is mira",
            ["play sternenglanz", "set Mira"],
        ),
        ("Ich möchte gegen einen Bot spielen", of_every_game("play")),
        ("Ich möchte Sternenglanz gegen zwei Bots spielen.", ["play sternenglanz 3"]),
        ("Je voudrais jouer contre l'ordinateur.", of_every_game("play")),
        ("Vorrei giocare a sternenhimmel\ncontro un bot. Mi chiamo Ada.", ["play sternenhimmel", "set Ada"]),
        (
            "I want to invite my friend Tom (tom.bach@example.org) to a game of sternenglanz.",
            ["new sternenglanz tom.bach@example.org"],
        ),
        ("Can I play with bob@example.org?", [f"new {game} bob@example.org" for game in GAMES]),
        ("Ich möchte eva@example.org zu Sternenhimmel einladen!", ["new sternenhimmel eva@example.org"]),
        (
            "I want to play sternenhimmel with tom@example.org and two bots. Best wishes, Ann",
            ["new sternenhimmel tom@example.org bots=2"],
        ),
        ("You can reach me at ann@example.org.", []),
        (
            "I'd like to play Sternenglanz with bob@example.org and Sternenhimmel against two bots",
            ["new sternenglanz bob@example.org", "play sternenhimmel 3"],
        ),
        (
            "A game of Sternenhimmel with bob@example.org and a bot please. And Sternenglanz against an easy bot.",
            ["new sternenhimmel bob@example.org bots=1", "play sternenglanz level=1"],
        ),
        (
            "Ich möchte gegen zwei Bots Sternenhimmel spielen und mit eva@example.org Sternenglanz.",
            ["play sternenhimmel 3", "new sternenglanz eva@example.org"],
        ),
        (
            "Sternenglanz and Sternenhimmel with bob@example.org please",
            ["new sternenglanz bob@example.org", "new sternenhimmel bob@example.org"],
        ),
        (
            "I'd like to play Sternenglanz against a hard bot and Sternenhimmel against two easy bots.",
            ["play sternenglanz level=4", "play sternenhimmel 3 level=1"],
        ),
        (
            "Ich möchte Sternenhimmel gegen einen mittleren Bot spielen und eva@example.org zu Sternenglanz einladen.",
            ["play sternenhimmel level=2", "new sternenglanz eva@example.org"],
        ),
        ("Could you start Sternenglanz with 1 bot level 4?", ["play sternenglanz level=4"]),
        ("My name is Paula\n\nCheers\nPaula", ["set Paula"]),
        ("I'd like to play a game", of_every_game("play", "find")),
        ("Kann ich mit Freunden Sternenglanz spielen?", ["find sternenglanz"]),
        ("Sternenglanz?", ["play sternenglanz", "find sternenglanz"]),
        ("How do I play Sternenhimmel?", ["rules sternenhimmel"]),
        ("Hello, call me Ada Lovelace.", ["set Ada Lovelace"]),
        ("Please change my name to Mira", ["set Mira"]),
        ("Bitte ändere meinen Namen in Heike S.", ["set Heike S"]),
        (
            "What kind of games are these, and how long do they take? I'd like to try Sternenhimmel against the computer.",
            ["rules sternenhimmel", "play sternenhimmel"],
        ),
        ("I can't play this week.", []),
        ("Can I play on Monday?", []),
        ("I want my money back!", []),
        ("Thanks, that was fun!", []),
    ],
)
def test_a_sentence_wishes_for_lines(text: str, lines: list[str]) -> None:
    assert wishes(text) == lines


def test_an_empty_email_wishes_in_its_subject() -> None:
    assert wishes("", "Can I play Sternenglanz against a bot?") == ["play sternenglanz"]


@pytest.mark.parametrize(
    ("sender", "name"),
    [
        ("Mira Muster <mira@example.org>", "Mira"),
        ('"mira" <mira@example.org>', "Mira"),
        ("mira@example.org", ""),
        ("<mira@example.org>", ""),
        ('"mira@example.org" <mira@example.org>', ""),
        ('"Muster, Mira" <mira@example.org>', "Mira"),
        ("'Mira Muster' <mira@example.org>", "Mira"),
        ("Dr. Mira Muster <mira@example.org>", "Mira"),
        ("J. R. <mira@example.org>", ""),
        ("www.evil.example <mira@example.org>", ""),
        ("Mirabellas.example <mira@example.org>", ""),
        (f"{'M' * 41} Muster <mira@example.org>", ""),
    ],
)
def test_the_first_name_of_a_sender(sender: str, name: str) -> None:
    assert first_name_of(sender) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Yes please!\n\nBest, Ann", "Ann"),
        ("Ja\n\nViele Grüße\nTimo", "Timo"),
        ("ok\nLG, Timo Berg", "Timo"),
        ("Oui\n\nCordialement,\nZoé\n\nEnvoyé de mon iPhone", "Zoé"),
        ("Sì grazie!\nA presto,\nGiulia Rossi", "Giulia"),
        ("yes\n\n-- \nAnn", ""),
        ("yes\n\nGreat", ""),
        ("Thanks, Sternenpost", ""),
        ("Hello,\nPlay sternenhimmel", ""),
        ("Best,\nwww.evil.example", ""),
        ("Cheers,\nAnn\n\nOn Sunday we talk.", ""),
        ("yes\n\nOn 27 Nov 2026 Bob <b@y.org> wrote:\n> Hi\n> Best,\n> Bob", ""),
        ("yes\n\n-----Original Message-----\nFrom: Bob\n\nBest,\nBob", ""),
    ],
)
def test_the_name_in_a_signature_is_offered_to_a_newcomer(ann: Correspondent, text: str, name: str) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, text)
    found = profile(player_at(ann.email))["name"]
    assert found == name if name else found not in ("Ann", "Bob", "Great", "Play", "Sternenpost", "Www")


def test_a_wish_starts_nothing_and_its_line_starts_the_game(ann: Correspondent) -> None:
    wish = "Can I play Sternenglanz against a bot please? My name is Mira."
    (hello,) = ann.sends(DESK, wish)
    assert "- play sternenglanz: " in hello.text
    assert "Mira" not in hello.text
    (welcome,) = ann.sends(hello.reply_to, wish)
    assert "- play sternenglanz: " in welcome.text
    assert "- name Mira: " in welcome.text
    (named,) = ann.answers(welcome.reply_to, "name Mira\nCan I play Sternenglanz against a bot?")
    assert "- play sternenglanz: " in named.text
    assert "You have no games" in ann.asks("games").text
    assert "has started" in ann.asks("play sternenglanz against a bot").text
    assert named.text.count("Mira") == 2


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("How does it work?", "play"),
        ("Wie geht das?", "spiele"),
        ("How does Sternenhimmel work?\nCan I join?", "play"),
    ],
)
def test_a_first_email_with_a_question_is_offered_a_game(ann: Correspondent, text: str, play: str) -> None:
    (hello,) = ann.sends(DESK, text)
    assert f"- {play} sternenhimmel: " in hello.text.replace("\u202f", "")
    (welcome,) = ann.sends(hello.reply_to, text)
    assert f"- {play} sternenhimmel: " in welcome.text


@pytest.mark.parametrize(
    ("text", "locale"), [("Hallo, wie kann ich mitspielen?", "de"), ("How can I play with others?", "en")]
)
def test_the_first_email_says_once_what_each_game_is_even_if_it_only_offers_to_find_one(
    ann: Correspondent, text: str, locale: str
) -> None:
    (hello,) = ann.sends(DESK, text)
    told = " ".join(hello.text.split())
    for game in GAMES:
        assert told.count(game_in_short(game, locale)) == 1


@pytest.mark.parametrize(
    ("wish", "yes"),
    [
        ("Can I play Sternenglanz against a bot?", "yes"),
        ("Kann ich Sternenglanz gegen einen Bot spielen?", "Ja, gerne!\n\nAnn"),
        ("Est-ce que je peux jouer à Sternenglanz contre un robot ?", "Oui, merci"),
        ("Posso giocare a Sternenglanz contro un bot?", "Ok"),
    ],
)
def test_a_yes_to_a_single_offered_line_carries_it_out(ann: Correspondent, wish: str, yes: str) -> None:
    (hello,) = ann.sends(DESK, wish)
    ann.sends(hello.reply_to, yes)
    if yes.startswith(("Ja", "Oui")):  # the line that it agrees to is told in the reader's language
        assert "play sternenglanz" not in ann.newest_answer.text
    player_id = player_at(ann.email)
    assert player_id
    assert [load(it).head.rules for it in desk.numbers(player_id)] == ["sternenglanz"]
    ann.sends(hello.reply_to, wish)
    assert "sternenglanz" in ann.asks(yes).text.lower()
    assert len(desk.numbers(player_id)) == 2


def test_a_misspelt_command_is_offered_even_if_it_resembles_a_question(ann: Correspondent) -> None:
    ann_joins(ann)
    assert 'Did you mean "set zone Europe/Rome"?' in ann.asks("ste zone Europe/Rome").text.replace("\n", " ")
    assert "Europe/Rome" in ann.asks("yes").text


def test_a_yes_beside_a_name_or_to_a_misspelt_line_carries_both_out(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    assert 'Did you mean "play sternenhimmel"?' in ann.asks("paly sternenhimmel").text.replace("\n", " ")
    assert "has started" in ann.asks("ok").text
    ann.asks("Could I play Sternenglanz against a bot? My name is Mira.")
    assert "has started" in ann.asks("Yes please!").text
    assert profile(player_id)["name"] == "Mira"


@pytest.mark.parametrize(
    "yes",
    [
        "yes please, and one mail a day is enough. I'm Ann.",
        "Ja gern! Ich bin die Ann.\nBitte höchstens eine Mail am Tag.",
    ],
)
def test_a_yes_beside_a_wish_for_a_setting_does_both(ann: Correspondent, yes: str) -> None:
    (hello,) = ann.sends(DESK, "I'd like to play Sternenglanz against the computer")
    ann.sends(hello.reply_to, yes)
    player_id = player_at(ann.email)
    assert player_id
    assert [load(it).head.rules for it in desk.numbers(player_id)] == ["sternenglanz"]
    assert profile(player_id)["name"] == "Ann"
    assert "bundled 08:00" in ann.newest_answer.text or "gebündelt 08:00" in ann.newest_answer.text


@pytest.mark.parametrize(
    ("picks", "places"),
    [
        ("The second one, please.", [1]),
        ("I'd like the first", [0]),
        ("2", [1]),
        ("Both please", [0, 1]),
        ("Das zweite bitte", [1]),
        ("La première, s'il te plaît", [0]),
        ("yes", []),
        ("The third one", []),
        ("No", []),
    ],
)
def test_one_of_several_lines_is_picked_by_its_place(ann: Correspondent, picks: str, places: list[int]) -> None:
    player_id = ann_joins(ann)
    wish = ann.asks("I'd like to play Sternenhimmel or Sternenglanz with bob@example.org")
    offered = re.findall(r"^- new (\w+) bob@example.org: ", wish.text, re.MULTILINE)
    assert sorted(offered) == ["sternenglanz", "sternenhimmel"]
    answer = ann.asks(picks)
    assert [load(it).head.rules for it in desk.numbers(player_id)] == [offered[it] for it in places]
    assert ("Reply with the line that you want:" in answer.text) == (picks == "yes")


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        (
            "Please invite carl@example.org to Sternenglanz with two bots, three days for each move.",
            "new sternenglanz carl@example.org bots=2 3 days per move",
        ),
        (
            "Please start Sternenglanz with carl@example.org, 12 hours per turn",
            "new sternenglanz carl@example.org 12 hours per move",
        ),
    ],
)
def test_a_wish_keeps_the_bots_and_the_time_per_move(ann: Correspondent, wish: str, line: str) -> None:
    player_id = ann_joins(ann)
    assert f"- {line}: " in " ".join(ann.asks(wish).text.split())
    ann.asks("yes")
    [game_id] = desk.numbers(player_id)
    head = load(game_id).head
    assert str(head.clock["per_move"]) in ("P3D", "PT12H")


def test_one_of_several_lines_is_picked_by_its_game(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    ann.asks("I'd like to play something with bob@example.org")
    ann.asks("Sternenglanz, please!\n\nAnn")
    assert [load(it).head.rules for it in desk.numbers(player_id)] == ["sternenglanz"]


@pytest.mark.parametrize("picks", ['"1"', "1)", "(1)", "#1", "One!", "1\nAnn"])
def test_the_first_line_is_picked_by_its_number_in_any_form(ann: Correspondent, picks: str) -> None:
    player_id = ann_joins(ann)
    wish = ann.asks("I'd like to play Sternenhimmel or Sternenglanz with bob@example.org")
    assert 'To use the first line, just reply "1".' in wish.text
    ann.asks(picks)
    assert len(desk.numbers(player_id)) == 1


def test_a_yes_to_several_lines_asks_again_which(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    name = profile(player_id)["name"]
    ann.asks("set nihgts 22-8\nplya sternenhimmel\nplya sternenglanz")
    again = ann.asks("yes").text
    assert "- set nights 22-8" in again and "- play sternenhimmel" in again
    assert "22:00-08:00" in ann.asks("1").text
    assert profile(player_id)["name"] == name
    assert not desk.numbers(player_id)


@pytest.mark.parametrize(
    "text",
    [
        "I got no emails last night.",
        "I don't mind emails at night",
        "Ich habe heute Nacht keine Mail bekommen.",
        "No emails at night please",
    ],
)
def test_a_night_without_hours_is_only_offered(ann: Correspondent, text: str) -> None:
    ann_joins(ann)
    assert "Your nights are now" not in ann.asks(text).text
    if text.startswith("No "):
        assert "22:00-08:00" in ann.asks("yes").text


def test_a_wish_beside_a_command_for_another_setting_is_carried_out(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    ann.asks("set zone Rome\nMy name is Ida. Please write in German.")
    found = profile(player_id)
    assert (found["name"], found["zone"], found["locale"]) == ("Ida", "Europe/Rome", "de")


def test_the_address_of_an_example_is_not_invited(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    answer = ann.asks("new sternenglanz name@example.org").text
    assert "Put the address of the person you invite in place of name@example.org." in " ".join(answer.split())
    assert not desk.numbers(player_id)


@pytest.mark.parametrize("text", ["yes, and I'm Ann", "Yes! I'm Ann.", "Ja, und ich bin die Ann."])
def test_a_newcomer_gets_the_name_that_they_say_beside_a_yes(ann: Correspondent, text: str) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.sends(hello.reply_to, text)
    player_id = player_at(ann.email)
    assert player_id and profile(player_id)["name"] == "Ann"


@pytest.mark.parametrize("picks", ["The second one please", "I'll take {second}!", "2"])
def test_a_stranger_picks_one_of_the_offered_games(ann: Correspondent, picks: str) -> None:
    (hello,) = ann.sends(DESK, "Hello, what is this?")
    second = re.findall(r"^- play (\w+): ", hello.text, re.MULTILINE)[1]
    ann.sends(hello.reply_to, f"{picks.format(second=second)}\n\nI'm Ann.")
    player_id = player_at(ann.email)
    assert player_id and profile(player_id)["name"] == "Ann"
    assert [load(it).head.rules for it in desk.numbers(player_id)] == [second]


@pytest.mark.parametrize(
    "yes", ["Yes, but how much time do we have for a turn?", "Ja! Wie viel Zeit habe ich pro Zug?"]
)
def test_a_yes_beside_a_question_for_a_fact_is_carried_out(ann: Correspondent, yes: str) -> None:
    (hello,) = ann.sends(DESK, "I'd like to play Sternenglanz against the computer")
    answers = ann.sends(hello.reply_to, yes)
    player_id = player_at(ann.email)
    assert player_id and len(desk.numbers(player_id)) == 1
    told = " ".join(" ".join(it.text.split()) for it in answers)
    assert "it's your turn, until" in told or "zwei Tage" in told


def test_each_question_of_a_line_gets_its_own_answer(ann: Correspondent) -> None:
    ann_joins(ann)
    told = " ".join(ann.asks("Can the others see my email address? And how do I change my name?").text.split())
    assert "You wrote: Can the others see my email address? The other players see your name" in told
    assert "You wrote: And how do I change my name? Reply with a line such as: - set name Ada: " in told


def test_a_yes_to_several_lines_or_to_an_end_does_nothing(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    for text in ("I'd like to play a game", "godbye", "I want to delete my account"):
        ann.asks(text)
        ann.asks("yes")
        assert player_at(ann.email) == player_id
        assert not desk.numbers(player_id)


def test_a_copied_line_of_a_list_is_its_command(ann: Correspondent) -> None:
    ann_joins(ann)
    answer = ann.asks("play sternenhimmel: Starts a game against bots immediately.")
    assert "We don't understand" not in answer.text
    answer = ann.asks("- play sternenhimmel: Starts a game against bots\n  immediately.")
    assert "Game 2" in answer.text
    assert "We don't understand" not in answer.text


def test_an_answer_to_a_line_without_a_meaning_explains_its_own_lines(ann: Correspondent) -> None:
    ann_joins(ann)
    answer = " ".join(ann.asks("Flumox the dandelions!").text.partition(">")[0].split())
    assert "- rules sternenhimmel: Explains the game and how to write a move." in answer
    assert "- play sternenhimmel: Starts a game against bots immediately." in answer


def test_a_first_email_says_that_playing_is_free_and_needs_no_app(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Is it free? Is there an app?")
    for part in (hello.text, hello.page):
        told = " ".join(part.split())
        assert "This server takes no payments." in told and "You need no app" in told


def test_a_first_email_answers_what_a_stranger_asks(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hi! Must I be online at the same time as the others? Who runs this? What's for dinner?")
    for part in (hello.text, hello.page):
        told = " ".join(part.split())
        assert "You needn't be online together." in unescape(told)
        assert "postmaster@stars.example" in told
        assert "dinner" not in told


def test_a_first_email_shows_what_each_game_is_and_how_to_start_it(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    for line, game in {
        "play sternenhimmel": "Light up the constellations of the zodiac, one star a turn. "
        "For 3 to 5 players; a game takes about 1 hour of your time.",
        "play sternenglanz": "Build one night sky together, each with a plan of your own. "
        "For 2 to 4 players; a game takes about 50 minutes of your time.",
    }.items():
        told = f"{game} Starts a game against bots immediately."
        assert f"- {line}: {told}" in " ".join(hello.text.split())
        assert told in hello.page
        (tap,) = re.findall(rf'<a class="say" href="mailto:([^"]+)">{line}</a>', hello.page)
        address, _, query = tap.partition("?")
        assert address == hello.reply_to
        assert parse_qs(unescape(query)) == {"subject": [f"Re: {hello.subject}"], "body": [line]}
    assert '<img src="cid:table.png"' in hello.page
    assert "Nothing has happened yet" not in hello.text
    (copied,) = re.findall(r"^- play sternenglanz: (?:.+\n)+?(?=\n|-)", hello.text, re.MULTILINE)
    (turn,) = ann.sends(hello.reply_to, copied)
    assert turn.subject == "Your turn: Sternenglanz"


BEGINS = "Game 1 Sternenhimmel has started|it's your turn"  # who has the first turn is random


@pytest.mark.parametrize(
    ("request_", "line", "begins"),
    [
        ("play sternenhimmel 4", "play sternenhimmel 4", BEGINS),
        (
            "Hi!\n\nPlay Sternenhimel against bots, please\n\nAnn",
            "play sternenhimmel",
            BEGINS,
        ),
        ("I'd like to play sternenhimmel against bots", "play sternenhimmel", BEGINS),
        ("find sternenglanz 3 2 days per move", "find sternenglanz 3 2 days per move", "No open game fits"),
        ("new sternenhimmel with bob@example.org", "new sternenhimmel bob@example.org", "Game 1 Sternenhimmel is open"),
    ],
)
def test_a_request_in_a_first_email_gets_the_line_that_does_it(
    ann: Correspondent, request_: str, line: str, begins: str
) -> None:
    (hello,) = ann.sends(DESK, request_)
    (offered,) = re.findall(r"^- (.+?):", hello.text, re.MULTILINE)
    assert offered == line
    assert "Nothing has happened yet" in hello.text and "Nothing has happened yet" in hello.page
    assert re.search(begins, ann.asks(line).text)


@pytest.mark.parametrize(
    "request_",
    [
        "play sternenhimmel title=watches",
        "play sternenhimmel http://spam.example",
        "Cheap watches!\nplay sternenhimmel",
        "Can I play against a bot?",
        "invite bob@example.org to 3",
        "leave 1",
    ],
)
def test_a_first_email_with_other_words_gets_the_general_lines(ann: Correspondent, request_: str) -> None:
    (hello,) = ann.sends(DESK, request_)
    assert "- play sternenhimmel: " in hello.text and "- play sternenglanz: " in hello.text
    assert "Nothing has happened yet" not in hello.text


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        ("I'd like to play sternenglanz against the computer please", True),
        ("ok then\nplay sternenglanz", True),
        ("Ich möchte Sternenglanz gegen Bots spielen.", True),
        ("Ok, play sternenglanz please!", True),
        ("I'd like to play Sternenglanz\n\nThanks, Ann", True),
        ("Let's try sternenglanz", True),
        ("Ja, dann spiele ich Sternenglanz!", True),
        ("Gut, ich würde gern Sternenglanz spielen!", True),
        ("Je voudrais jouer à Sternenglanz, merci", True),
        ("Ok, giochiamo a Sternenglanz", True),
        ("Ja, bitte Sternenglanz starten!", True),
        ("Great, let's play sternenglanz then. I live in Vienna, by the way. Is it for beginners?\n\nThanks", True),
        ("OK, start a game of Sternenglanz against the computer.\n\nAnn", True),
        ("Then I'd like to play sternenglanz. No mails at night please.", True),
        ("Dann spiele ich Sternenglanz.\nBitte nachts keine Mails\nTimo", True),
        ("Let's play sternenglanz. What does it cost?\n\n-- \nAnn Berger\nArchitect", True),
        ("Dann spiele ich Sternenglanz. Wie lange dauert das?", True),
        ("Please start Sternenglanz for me. And at most one mail a day, please.", True),
        ("Could you start a game of Sternenglanz for me, please?", True),
        ("Bitte starte für mich eine Partie Sternenglanz gegen Bots", True),
        ("Kannst du Sternenglanz starten?", True),
        ("Ich hätte gern eine Partie Sternenglanz", True),
        ("Lance-moi une partie de Sternenglanz, stp", True),
        ("Potresti avviare una partita a Sternenglanz?", True),
        ("Let's play sternenglanz. Could my friend join?", False),
        ("Let's play sternenglanz. But not today.", False),
        ("Let's play sternenglanz. Or is sternenhimmel better?", False),
        ("Let's play sternenglanz. My brother will be there on Sunday.", False),
        ("Sternenglanz nicht starten!", False),
        ("I'd like to play sternenglanz with my sister", False),
        ("Don't play sternenglanz", False),
        ("I'd like to play sternenglanz or sternenhimmel", False),
        ("How do I play sternenglanz", False),
        ("Could I play sternenglanz against the computer?", False),
        ("I'd like to play sternenglanz against the computer, but not yet", False),
        ("I'd like to play sternenglanz with friends or against bots", False),
        ("I'd like to play sternenglanz against a bot and Anna", False),
        ("No bots please, I'd like to play sternenglanz against the computer.", False),
        ("I just beat the computer in Sternenglanz!", False),
        ("I'd like to play sternenglanz against the computer tomorrow", False),
    ],
)
def test_an_outright_wish_for_a_game_against_bots_starts_it(ann: Correspondent, words: str, starts: bool) -> None:
    (hello,) = ann.sends(DESK, words)
    assert re.search("^- .*sternenglanz", hello.text, re.MULTILINE)
    ann.answers(hello.reply_to, words)
    player_id = player_at(ann.email)
    assert player_id
    assert (desk.numbers(player_id) != {}) is starts
    assert "We don't understand" not in ann.newest_answer.text


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("At most one email a day, please.\n\nAnn", {"mails": "bundled"}),
        ("Hi, please write to me in German. My name is Mira. I live in Vienna.", {"locale": "de", "name": "Mira"}),
        ("Bitte höchstens eine Mail am Tag. Ich heiße Timo.", {"mails": "bundled", "name": "Timo"}),
        ("Would one email a day be possible?", {}),
        ("One email a day is enough for me. But not yet.", {}),
    ],
)
def test_an_email_that_only_wishes_for_settings_changes_them(
    ann: Correspondent, words: str, settings: dict[str, str]
) -> None:
    player_id = ann_joins(ann)
    before = profile(player_id)
    answer = ann.asks(words)
    now = profile(player_id)
    changed = {"mails": "bundled" if now["notifications"] != before["notifications"] else ""} | {
        it: now[it] for it in ("locale", "name") if now[it] != before[it]
    }
    assert {name: value for name, value in changed.items() if value} == settings
    assert "We don't understand" not in answer.text


@pytest.mark.parametrize(
    "words", ["Ja, bitte Sternenglanz starten!\nMein Name ist Timo", "My name is Timo.\n\nLet's play Sternenglanz!"]
)
def test_a_name_beside_an_outright_wish_is_taken_with_the_game(ann: Correspondent, words: str) -> None:
    (hello,) = ann.sends(DESK, "Hello, what is this?")
    ann.sends(hello.reply_to, words)
    player_id = player_at(ann.email)
    assert player_id
    assert [load(it).head.rules for it in desk.numbers(player_id)] == ["sternenglanz"]
    assert profile(player_id)["name"] == "Timo"
    told = " ".join(ann.newest_answer.text.split())
    assert "name Timo" not in told


def test_a_new_player_gets_the_name_in_their_mail_program(mailbox: Callable[[str], Correspondent]) -> None:
    ben = mailbox("ben@example.org")
    (hello,) = ben.sends(DESK, "Hello, what is this?")
    assert all(f"- play {game}: " in hello.text for game in GAMES)
    (welcome,) = ben.sends(hello.reply_to, "Hello", From="Ben Muster <ben@example.org>")
    assert "Welcome, Ben!" in welcome.text
    assert "name Ada" in welcome.text  # how to change it
    assert "name Ben" not in welcome.text
    eva = mailbox("eva@example.org")
    (first,) = eva.sends(DESK, "Hello, what is this?")
    (hers,) = eva.sends(first.reply_to, "I'd like to see the rules first. Best wishes, Eva")
    assert "Welcome, Eva!" in hers.text
    ben_id = player_at(ben.email)
    assert ben_id
    assert (profile(ben_id)["name"], profile(ben_id)["named"]) == ("Ben", False)
    ben.answers(welcome.reply_to, "name Benedict", From="Ben Muster <ben@example.org>")
    assert (profile(ben_id)["name"], profile(ben_id)["named"]) == ("Benedict", True)


WISHES = {
    "de": "Ich möchte gegen einen Bot spielen",
    "en": "Can I play against a bot?",
    "fr": "Je voudrais jouer contre un bot",
    "it": "Vorrei giocare contro un bot",
}


@pytest.mark.parametrize("locale", WISHES)
@pytest.mark.parametrize("begins", [True, False])
def test_the_first_lines_of_a_welcome_contain_a_line_that_plays(ann: Correspondent, locale: str, begins: bool) -> None:
    say = language(locale).gettext
    (hello,) = ann.sends(DESK, WISHES[locale])
    played = re.search(r"^- (.* sternenhimmel)\s?:", hello.text, re.MULTILINE)
    assert played and played[0] in "\n".join(hello.text.splitlines()[:12])
    ann.hands_over(hello.reply_to, ann.written(hello.reply_to, played[1] if begins else WISHES[locale]))
    deal_with_desk(RECORDS)
    everything_due_happens()  # a bot may have the first turn
    welcome = ann.newest_answer
    beginning = "\n".join(welcome.text.splitlines()[:12])
    player_id = player_at(ann.email)
    assert player_id
    if not begins:
        assert say("Reply to this email with one of these lines:") in beginning
        played = re.search(r"^- (.* sternenhimmel)\s?:", beginning, re.MULTILINE)
        assert played
        ann.answers(welcome.reply_to, played[1])
        return
    example = re.escape(say('Reply with a line such as "%(line)s".', line="LINE")).replace("LINE", "(.+?)")
    move = re.search(f"^(?:  (.+)|{example})$", welcome.text, re.MULTILINE)
    assert move
    ann.sends(welcome.reply_to, move[1] or move[2])
    game = load(desk.game_of(player_id, 1))  # type: ignore[arg-type]  # they have one
    assert not game.seats[0].to_act


def test_a_name_beside_a_command_is_taken_unless_the_email_says_more(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    answer = ann.asks("games\nMy name is Mira")
    assert profile(player_id)["name"] == "Mira"
    assert "We don't understand" not in answer.text
    answer = ann.asks("games\nMy name is Ida. My dog is called Rex")
    assert profile(player_id)["name"] == "Mira"
    assert "- name Ida: " in answer.text


@pytest.mark.parametrize("words", ["How long does a game take?", "wie lange dauert ein Spiel?"])
def test_the_desk_says_how_long_a_game_takes(ann: Correspondent, words: str) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    told = ann.asks(words).text
    assert "You usually have two days for each turn, against bots as well." in " ".join(told.split())
    assert all(re.search(rf"- {game.capitalize()}: about \d+ turns", told) for game in GAMES)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("How do I get fewer emails?", 'reply "set mails bundled"'),
        ("how do I stop all these emails?", 'reply "set mails off"'),
        ("help set", "- set mails bundled: With bundled, you get one email a day"),
        ("help set nights", "- set nights 22:00-08:00: Your clock stops"),
        ("help mails", "- set mails bundled: With bundled, you get one email a day"),
        ("How long does a game take? And is it free?", "This server takes no payments."),
        ("How long does a game take? And is it free?", "two days for each turn"),
        ("I'd like to delete my account", 'To delete your account, reply "goodbye"'),
        ("Could we pause for a week?", 'To pause a game, reply "pause"'),
        ("Does it cost anything, and do I need an account?", "This server takes no payments."),
        ("How do I score points?", "The rules say how you score."),
        ("Can a bot take the free seat?", 'Reply for example "fill 3" to give the free seats of game 3 to bots.'),
        ("Could we fill the last seat with a bot?", 'Reply for example "fill 3"'),
        ("What does star migration do?", "Move a dot star or a bright star over exactly as many lines"),
        ("How do supernovas work?", "When you first reach 15 points"),
        ("What does the D mean?", "D is a double star"),
        ("What does Leo do?", "Each constellation shows its two prizes"),
        ("Is there an app?", "You need no app"),
        ("Gibt es eine App?", "You need no app"),
        ("How do I stop?", 'To delete your account, reply "goodbye".'),
        ("How do I get my account deleted?", 'To delete your account, reply "goodbye".'),
        ("What games do I have?", "You have no games"),
        ("Wie viele Partien habe ich?", "You have no games"),
        ("I live in Erewhon.", "We don't know this place. Name a large city in your time zone."),
        ("invite my brother tom@example.org to a game of sternenglanz", "- new sternenglanz tom@example.org: Opens"),
        ("resign 3", 'You have no game 3. "games" lists your games'),
        ("pause game 2", 'You have no game 2. "games" lists your games'),
        (
            "Can a bot take the free seat in game 2?",
            'Reply for example "fill 2" to give the free seats of game 2 to bots.',
        ),
    ],
)
def test_the_desk_answers_common_questions(ann: Correspondent, words: str, answer: str) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    told = " ".join(ann.asks(words).text.split())
    assert answer in told
    assert "nearest command" not in told


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("How can I invite a friend to game 1?", "invite bob@example.org to 1"),
        ("Can a bot take the free seat in game 1?", 'Reply for example "fill 1"'),
    ],
)
def test_a_question_about_a_game_that_has_not_started_is_answered(ann: Correspondent, words: str, answer: str) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    ann.asks("new sternenhimmel 3")
    told = " ".join(ann.asks(words).text.split())
    assert answer in told and "your turn" not in told


_WAY_TO_STOP = 'To stop all emails about your games, reply "set mails off".'


@pytest.mark.parametrize(
    "words", ["unsubscribe", "stop please, unsubscribe", "Please unsubscribe me from this list", "Abmelden, bitte"]
)
def test_the_desk_says_how_to_stop_emails(ann: Correspondent, words: str) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    assert _WAY_TO_STOP in " ".join(ann.asks(words).text.split())
    for subject, text in ((words, ""), ("", words)):
        (told,) = ann.answers(DESK, text, subject)
        assert _WAY_TO_STOP in " ".join(told.text.split()), subject
    (told,) = ann.answers(ann.newest_answer.reply_to, "", words)
    assert _WAY_TO_STOP in " ".join(told.text.split())
    (told,) = ann.answers(ann.newest_answer.reply_to, f"games\n\n{words}")
    assert _WAY_TO_STOP in " ".join(told.text.split())


def test_a_city_is_a_time_zone_and_emails_that_are_off_have_consequences(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    told = " ".join(ann.asks("set zone Berlin\nset mails off").text.split())
    assert "Your time zone is now Europe/Berlin." in told
    assert "we don't announce your turns" in told


def test_a_repeated_invitation_gets_the_same_answer_and_sends_no_second_email(
    ann: Correspondent, mailbox: Callable[[str], Correspondent]
) -> None:
    bob = mailbox("bob@example.org")
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann\n\nnew sternenhimmel 3")
    first, again = (ann.asks("invite bob@example.org") for _ in range(2))
    told = "We've invited bob@example.org to game 1 Sternenhimmel."
    assert told in first.text and told in again.text
    assert len(bob.mails()) == 1
    player_id = player_at(ann.email)
    assert player_id
    game = load(desk.game_of(player_id, 1))  # type: ignore[arg-type]  # they have one
    assert [it.kind for it in game.seats] == ["human", "invited", "open"]


@pytest.mark.parametrize("locale", LOCALES)
def test_games_tells_how_to_look_back_and_show_says_which_moves_exist(ann: Correspondent, locale: str) -> None:
    ann_joins(ann)
    ann.asks(f"set language {locale}")
    ann.asks("play sternenhimmel")
    everything_due_happens()
    told = " ".join(ann.asks("games").text.split())
    lines = re.findall(r'["“„«]\W?([^"“”„«»]+ 1(?: \w+ \d+)?)\W?["”“»]', told)
    history, show = lines
    assert "\n- " in ann.asks(history).text
    assert "image/png" in [it.get_content_type() for it in ann.asks(show).message.walk()]
    game_id = next(iter(desk.numbers(player_at(ann.email) or UUID(int=0))))
    told = " ".join(ann.asks("show 1 at 999").text.split())
    assert show in told and f" {load(game_id).version}. " in told


def test_a_setting_without_its_value_is_shown_with_one(ann: Correspondent) -> None:
    ann_joins(ann)
    for line, example in {
        "set nights late to early": "set nights 22:00-08:00",
        "set name": "set name Ada",
        "set language klingon": "set language en",
        "set zone": "set zone Europe/Berlin",
    }.items():
        assert f'For example: "{example}"' in ann.asks(line).text
        assert "We need" not in ann.asks(example).text


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("send me fewer mails\nno mails at night", ['reply "set mails bundled"', "- set nights 22:00-08:00: "]),
        ("How long does a game take?\n\nIs it free?", ["two days for each turn", "This server takes no payments."]),
        (
            "How much does it cost?\nset zone Berlin",
            ["This server takes no payments.", "Your time zone is now Europe/Berlin."],
        ),
        (
            "set zone Berlin\n\nHow much does it cost?",
            ["This server takes no payments.", "Your time zone is now Europe/Berlin."],
        ),
        (
            "Is it free?\nPlease paint the letters blue",
            ["This server takes no payments.", "You wrote: paint the letters blue"],
        ),
        ("games\n\nCan you send me a real horse by mail?", ["You have no games", "You wrote: Can you send me a real"]),
        (
            "Can I play Sternenglanz against a bot?\nIs it free?",
            ["This server takes no payments.", "- play sternenglanz: "],
        ),
        ("Is the seat free?\nset zone Berlin", ["You wrote: Is the seat free", "Your time zone is now Europe/Berlin."]),
        ("Is that allowed?\nset zone Berlin", ["Another line of your email questions"]),
        ("Is it free? I don't want it then.\nset zone Berlin", ["Another line of your email questions"]),
    ],
)
def test_each_line_that_asks_for_something_gets_an_answer(ann: Correspondent, text: str, answers: list[str]) -> None:
    ann_joins(ann)
    told = " ".join(ann.asks(text).text.split())
    assert [it for it in answers if it not in told] == []


def test_prose_beside_a_question_is_not_reported(ann: Correspondent) -> None:
    ann_joins(ann)
    told = ann.asks("Hello there,\nI got this address from a friend.\nHow much does it cost?\n\nAnn").text
    assert "You wrote: How much does it cost?" in told
    assert "We don't understand" not in told


@pytest.mark.parametrize(
    ("wish", "line", "yes", "bots"),
    [
        (
            "I'd like to play Sternenglanz against two easy bots, my name is Timo",
            "play sternenglanz 3 level=1",
            "yes",
            ["level-1"] * 2,
        ),
        (
            "Ich möchte Sternenhimmel gegen drei starke Bots spielen, zwei Tage pro Zug",
            "spiele sternenhimmel 4 level=4 2 days per move",
            "Ja gerne",
            ["level-4"] * 3,
        ),
        (
            "Je voudrais jouer à Sternenglanz contre un bot facile",
            "jouer sternenglanz level=1",
            "oui",
            ["level-1"],
        ),
        ("Vorrei giocare a Sternenglanz contro due bot", "gioca sternenglanz 3", "sì", [USUAL_BOT] * 2),
        ("play sternenglanz 3 level 3", "play sternenglanz 3 level=3", "yes", ["level-3"] * 2),
    ],
)
def test_the_wish_of_a_first_email_is_carried_out_by_a_plain_yes(
    ann: Correspondent, wish: str, line: str, yes: str, bots: list[str]
) -> None:
    (hello,) = ann.sends(DESK, wish)
    lines = " ".join(hello.text.split()).split(" - ")
    assert lines[1].startswith(f"{line}:") or lines[1].startswith(f"{line} :"), hello.text
    ann.sends(hello.reply_to, yes)
    player_id = player_at(ann.email)
    assert player_id
    (game,) = map(load, desk.numbers(player_id))
    assert [bot for it in game.seats if (bot := game.bot_at(it.seat))] == bots
    assert (game.head.clock["per_move"] == "P2D") or "days" not in line


@pytest.mark.parametrize("yes", ["ja, gern\nIch heiße Timo", "Yes please!\n\nMy name is Timo"])
def test_a_name_below_a_yes_is_not_lost(ann: Correspondent, yes: str) -> None:
    (hello,) = ann.sends(DESK, "Can I play Sternenglanz against a bot?")
    ann.sends(hello.reply_to, yes)
    player_id = player_at(ann.email)
    assert player_id
    assert [load(it).head.rules for it in desk.numbers(player_id)] == ["sternenglanz"]
    assert profile(player_id)["name"] == "Timo"


@pytest.mark.parametrize(
    ("value", "now"),
    [
        *(("gebündelt", "bundled"), ("gebundelt", "bundled"), ("daily", "bundled"), ("once a day", "bundled")),
        *(
            ("Immediately", "at-once"),
            ("at once", "at-once"),
            ("at-once", "at-once"),
            ("your turn bundled", "“Your turn” bundled"),
        ),
    ],
)
def test_close_words_set_the_emails(ann: Correspondent, value: str, now: str) -> None:
    ann_joins(ann)
    told = " ".join(ann.asks(f"set mails {value}").text.split())
    assert "Your emails are now sent: " in told and now in told


@pytest.mark.parametrize("value", ["sometimes", "", "blue"])
def test_an_unknown_value_for_emails_gets_the_values(ann: Correspondent, value: str) -> None:
    ann_joins(ann)
    told = ann.asks(f"set mails {value}").text
    assert 'For example: "set mails bundled"' in told
    assert not value or "The values of this setting are at-once, bundled, off and default." in told
    assert "seat-handed-over" not in told


def test_a_denied_value_for_emails_sets_nothing(ann: Correspondent) -> None:
    ann_joins(ann)
    for value in ("not bundled", "never at once", "nicht gebündelt"):
        assert "We don't know this kind of email." in ann.asks(f"set mails {value}").text


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("gmaes", 'Did you mean "games"?'),
        ("invte bob@example.org to 3", 'Did you mean "invite bob@example.org to 3"?'),
        ("How do I invite someone?", "- invite bob@example.org to 3: "),
        ("How is the weather?", ""),
        ("expert players wanted here", ""),
        ("opened the mail yesterday", ""),
    ],
)
def test_a_line_names_the_nearest_command_only_if_it_is_near(ann: Correspondent, line: str, near: str) -> None:
    ann_joins(ann)
    told = " ".join(ann.asks(line).text.split())
    assert near in told
    assert near or ("nearest command" not in told and "- help: Lists all commands" in told)


@pytest.mark.parametrize(
    ("locale", "question", "title"),
    [
        ("de", "Was macht die Sternwanderung?", "Sternenglanz. Sternwanderung: einen Stern bewegen"),
        ("fr", "Que fait la migration d'étoile ?", "Sternenglanz. Migration d’étoile"),
        ("it", "Come funziona la migrazione stellare?", "Sternenglanz. Migrazione stellare"),
    ],
)
def test_a_question_about_a_term_gets_its_section_of_the_rules(
    ann: Correspondent, locale: str, question: str, title: str
) -> None:
    ann_joins(ann)
    ann.asks(f"set language {locale}")
    assert title in " ".join(ann.asks(question).text.split())


def test_a_new_player_gets_one_email_that_welcomes_them_and_shows_their_first_turn(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    (turn,) = ann.sends(hello.reply_to, "play sternenglanz\nname Ann")
    told = " ".join(turn.text.split())
    assert turn.subject == "Your turn: Sternenglanz"
    assert turn.message["Auto-Submitted"] == "auto-replied"
    assert "it's your turn. Welcome, Ann! You can now play by email alone. Your name is now Ann. You win if" in told
    assert "Welcome, Ann!" in turn.page
    ann.sends(turn.reply_to, str(re.findall(r"Reply with a line such as \"(.+?)\"", told)[0]))
    everything_due_happens()
    assert "You played: choose" in ann.newest.text


def test_a_new_player_who_wants_bundles_gets_an_answer_of_its_own(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    (welcome,) = ann.sends(hello.reply_to, "play sternenglanz\nset mails bundled")
    assert "Game 1 Sternenglanz has started." in welcome.text


@pytest.mark.parametrize(
    ("hello", "yes", "games"),
    [
        ("Hallo, ich möchte gern gegen Bots spielen", "Ja bitte, beide!", len(GAMES)),
        ("Bonjour, je voudrais jouer contre des bots", "Oui, les deux !", len(GAMES)),
        ("Buongiorno, vorrei giocare contro i bot", "Sì, entrambi per favore. Quanto dura?", len(GAMES)),
        ("Hello, I would like to play against bots", "Yes, both please.", len(GAMES)),
        ("I would like to play sternenhimmel against bots", "Sounds good, yes", 1),
        ("I would like to play sternenhimmel against bots", "ok, start", 1),
        ("I would like to play sternenhimmel against bots", "Go ahead", 1),
        ("I would like to play sternenhimmel against bots", "Yes, do that please. How long does it take?", 1),
        ("Ich möchte sternenhimmel gegen Bots spielen", "Ja, gerne!\nUnd bitte nachts keine Mails.", 1),
    ],
)
def test_agreement_to_the_first_email_starts_what_it_offers(
    ann: Correspondent, hello: str, yes: str, games: int
) -> None:
    (first,) = ann.sends(DESK, hello)
    ann.sends(first.reply_to, yes)
    player_id = player_at(ann.email)
    assert player_id and len(desk.numbers(player_id)) == games
    told = " ".join(it.text for it in ann.mails())
    assert "nachts" not in yes or "nächte 22:00-08:00" in told
    assert "long" not in yes or "about 30 turns" in told


@pytest.mark.parametrize("yes", ["Yes please", "Sure, go ahead. How long does it take?"])
def test_a_yes_to_several_lines_is_asked_which(ann: Correspondent, yes: str) -> None:
    (first,) = ann.sends(DESK, "Hello, I would like to play against bots")
    (welcome,) = ann.sends(first.reply_to, yes)
    assert all(f"- play {game}" in welcome.text for game in GAMES) and "- find" not in welcome.text
    ann.sends(welcome.reply_to, "the second one")
    player_id = player_at(ann.email)
    assert player_id and len(desk.numbers(player_id)) == 1
