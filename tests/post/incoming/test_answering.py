"""Inbound emails: what each does, and the one reply that it gets."""

import re
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from html import unescape
from random import Random
from types import FrameType, FunctionType, SimpleNamespace
from uuid import UUID

import pytest
from flask import Flask

from server import errors
from server.accounts.players import change_profile, profile
from server.clock import clock
from server.games import GAMES
from server.games.presentation import in_words, write_move
from server.games.sternenglanz.moves import LayCards, Move
from server.play import commits
from server.play.commits import load, whole_log
from server.play.mail.mail_in import open_reply_address, reply_word
from server.play.moves import legal_moves
from server.play.seating import games
from server.play.seating.seats import leave, return_word
from server.play.talk.chat import say
from server.play.timing.outages import follow_outages
from server.play.views import view_of
from server.play.votes import take_back, vote
from server.post.desk.arguments import is_off
from server.post.desk.commands import BY_NAME, MAILS, SET, setting_word
from server.post.desk.counter import deal_with_desk
from server.post.desk.reading import commands_beside_table, unsigned
from server.post.incoming import answering
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.commands import RESIGN, word_for
from server.post.incoming.questions import _PROBLEMS
from server.post.incoming.replies import Mail
from server.translations import LOCALES, language
from server.worker import RECORDS
from tests.post.incoming.replying import DOMAIN, a_move, ada_writes, confirmation_in, messages, turn_of_ada
from tests.post.office import Mail as Letter
from tests.post.office import Office, a_mail, arrives
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    at_once,
    everything_due_happens,
    game_of,
    happened,
    head_of,
    later,
    moves_on,
    person,
    seats_of,
    service_is_up,
    turn_of,
    until,
)

SEED = 2  # deals star births, and other cards

pytestmark = pytest.mark.usefixtures("within")


def an_illegal_move(game_id: UUID, who: UUID) -> str:
    """With a star that she has and a board that is not in play."""
    star, _, space = a_move(game_id, who).split(" ")
    in_play = {board["board"] for board in view_of(head_of(game_id), 0)["boards"]}
    away = next(board["id"] for board in GAMES["sternenhimmel"].describe()["boards"] if board["id"] not in in_play)
    return f"{star} {away} {space}"


def is_resigned(game_id: UUID) -> bool:
    return "seat-handed-over" in happened(game_id)


# Addresses


def test_every_email_about_a_game_can_be_replied_to(office: Office, game_id: UUID) -> None:
    (turn,) = office.mails("ada")
    word, _, domain = turn.reply_to.partition("@")
    assert domain == DOMAIN
    assert len(word) <= 64
    assert open_reply_address(word) == open_reply_address(word.upper()) == (game_id, 0, turn_of_ada(game_id))
    assert turn.message["From"].addresses[0].display_name == "Sternenpost"
    assert turn.text.startswith("##- Reply above this line")
    assert "##- Reply above this line" in turn.page


def test_emails_have_no_reply_address_if_inbound_mail_is_off(app: Flask, game_id: UUID) -> None:
    (turn,) = Office(app).mails("ada")
    assert turn.message["Reply-To"] is None
    assert "##-" not in turn.text


def test_a_player_can_be_the_postmaster_of_their_own_domain(office: Office, bea: UUID) -> None:
    who = person("postmaster")
    game_id = game_of(who, bea, bots=1)
    (turn,) = office.mails("postmaster")
    arrives(turn.reply_to, a_mail(a_move(game_id, who), sender="Postmaster <postmaster@example.org>"))
    arrives(turn.reply_to, a_mail("resign", sender="postmaster@example.org"))
    deal_with_mails()
    assert "star-placed" in happened(game_id)
    asked = office.mails("postmaster")[-1]
    arrives(asked.reply_to, a_mail(confirmation_in(asked), sender="postmaster@example.org"))
    deal_with_mails()
    assert is_resigned(game_id)


@pytest.mark.parametrize("headers", [{"From": "postmaster@mx.example.org"}, {"Auto-Submitted": "auto-replied"}])
def test_postmaster_mail_is_ignored_if_it_is_automatic_or_not_a_report(
    office: Office, bea: UUID, headers: dict[str, str]
) -> None:
    game_of(person("postmaster"), bea, bots=1)
    before = office.mails("postmaster")
    arrives(before[-1].reply_to, a_mail("?", sender="postmaster@example.org", **headers))
    deal_with_mails()
    assert office.mails("postmaster") == before


# Moves


def test_a_move_is_played_and_our_reply_reports_the_result(office: Office, game_id: UUID, ada: UUID) -> None:
    line = a_move(game_id, ada)
    answer = ada_writes(office, f"Good evening!\n{line}\n", **{"Message-ID": "<7@ada.example.org>"})
    assert "star-placed" in happened(game_id)
    assert answer.text.splitlines()[2] == f"ada, your move was played: {line}"
    assert "Your turn is over. We're waiting for bea." in answer.text
    assert "News:\n- You put" in answer.text
    assert answer.message["In-Reply-To"] == "<7@ada.example.org>"
    assert str(answer.message["References"]).split() == [f"<{game_id}@localhost>", "<7@ada.example.org>"]
    assert answer.message["Auto-Submitted"] == "auto-replied"
    assert answer.message["X-Loop"] == "sternenpost"


@pytest.mark.parametrize("name", ["Leo", "Ares", "Nora L.", "Nova"])
def test_a_signature_is_not_taken_for_a_move(office: Office, game_id: UUID, ada: UUID, name: str) -> None:
    (turn,) = office.mails("ada")
    arrives(turn.reply_to, a_mail(f"rules please\n\nbest wishes,\n{name}", sender=f'"{name} Lind" <ada@example.org>'))
    deal_with_mails()
    deal_with_desk(RECORDS)
    assert office.subjects("ada")[-1].startswith("The rules: ")
    sky = ada_writes(office, f"{a_move(game_id, ada)}\n\n{name}", sender=f'"{name}" <ada@example.org>')
    assert "your move was played" in sky.text


def test_a_signed_resignation_is_carried_out_once_it_is_confirmed(office: Office, ada: UUID) -> None:
    change_profile(ada, {"name": "Nora"})
    game_id = game_of(ada, rules="sternenglanz", bots=1)
    asked = ada_writes(office, "resign\n\nNora")
    ada_writes(office, confirmation_in(asked))
    assert is_resigned(game_id)


@pytest.mark.parametrize("line", ["games", "Pause", "resign"])
def test_a_last_line_that_is_a_command_is_no_signature(line: str) -> None:
    mail = Mail(f"{line.lower()}@anna.example", False, ("Hello,", "", line), None, "", None, named=f"{line} <a@x.org>")
    assert unsigned(mail, "Anna", "en") == mail
    told = Mail("leo@x.org", False, ("My name is", "Leo"), None, "", None)
    assert unsigned(told, "Leo", "en") == told


def test_a_player_named_like_a_move_of_sternenglanz_can_sign_it(office: Office, ada: UUID) -> None:
    change_profile(ada, {"name": "Nora"})
    game_id = game_of(ada, rules="sternenglanz", bots=1)
    answer = ada_writes(office, f"{a_move(game_id, ada)}\n\nThanks, see you!\nNora")
    assert "Please check" not in answer.text and "didn't work" not in answer.text


def test_a_reply_to_the_email_about_a_turn_plays_the_rest_of_the_turn(office: Office, ada: UUID) -> None:
    game_id = game_of(ada, rules="sternenglanz", bots=1, options={"start_seat": 0})
    ada_writes(office, a_move(game_id, ada))  # the choice of cards
    everything_due_happens()
    (turn,) = (mail for mail in office.mails("ada")[1:] if mail.subject.startswith("Your turn"))
    steps = []
    while turn_of(game_id, ada) is not None:
        steps.append(a_move(game_id, ada))
        before = len(whole_log(game_id))
        for _ in range(2):  # the second email is a copy by another program, with a Message-ID of its own
            arrives(turn.reply_to, a_mail(steps[-1]))
            deal_with_mails()
        assert len(whole_log(game_id)) > before
        rules = load(game_id).table.rules
        if not rules.is_mid_turn(load(game_id).table.state, 0):
            break
    assert len(steps) > 1 and len(set(steps)) == len(steps)
    told = [mail.text for mail in office.mails("ada") if "That turn is over" in mail.text]
    assert told == []


def test_a_request_for_a_pause_shows_what_its_player_wrote_and_the_pause_how_to_go_on(
    office: Office, ada: UUID, bea: UUID
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    say(game_id, ada, "An old message")
    later(HOUR)
    ada_writes(office, "pause\nsay Back on Monday")
    asked = next(mail for mail in office.mails("bea") if "asks for a pause" in mail.subject)
    assert "ada: Back on Monday" in asked.text and "ada: Back on Monday" in asked.page
    assert "An old message" not in asked.text
    vote(game_id, bea, "pause", True)
    assert 'To continue, reply "resume".' in office.mails("ada")[-1].text


def test_a_yes_while_several_requests_are_open_asks_which_is_meant(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    vote(game_id, ada, "pause", True)
    later(MINUTE)
    for text in ("yes", "Sure, OK."):
        arrives(office.mails("bea")[-1].reply_to, a_mail(text, sender="bea@example.org"))
        deal_with_mails()
        told = " ".join(office.mails("bea")[-1].text.split())
        assert 'To agree, reply with one of these: "pause" to the pause; "agree" to the undo.' in told


def test_a_turn_that_goes_on_is_not_reported_as_done(office: Office, ada: UUID) -> None:
    game_id = game_of(ada, rules="sternenglanz", bots=1, options={"start_seat": 0})
    ada_writes(office, a_move(game_id, ada))  # the choice of cards
    everything_due_happens()
    letter = next(mail.text for mail in office.mails("ada")[1:] if mail.subject.startswith("Your turn"))
    assert "Everyone has chosen: You: " in letter
    (whole,) = re.findall(r"A whole turn, for example:\n  (.+)\n", letter)
    examples = letter.partition("possible first steps, for example:")[2].split("\n\n")[0]
    assert len(kinds := re.sub(r"#\d+", "#", examples).split("\n")) == len(set(kinds)) > 2
    *steps, last = whole.split("; ")
    for number, step in enumerate(steps, start=1):
        answer = ada_writes(office, step)
        assert answer.subject == "Your turn goes on: Sternenglanz"
        so_far = f"ada, your turn goes on. You've played so far: {'; '.join(steps[:number])}"
        assert " ".join(so_far.split()) in " ".join(answer.text.split())
        assert re.search(r"Reply with the rest of the turn, for example:\n\n  .*#.*\n", answer.text)
    assert ", done\n" not in answer.text  # the cards have shifted to other slots
    assert ada_writes(office, last).subject == "Move played: Sternenglanz"


def test_a_move_in_a_friendly_sentence_is_played_if_it_is_legal(office: Office, game_id: UUID, ada: UUID) -> None:
    star, board, space = an_illegal_move(game_id, ada).split(" ")
    answer = ada_writes(office, f"Please put my {star} on {board} {space}, thanks!\n\nSent from my iPhone")
    assert "is not in play. Constellations in play:" in answer.text
    assert "star-placed" not in happened(game_id)
    star, board, space = a_move(game_id, ada).split(" ")
    answer = ada_writes(office, f"I'd like to play the {star} on {board.capitalize()} {space}.\n\nAda")
    assert answer.text.splitlines()[2] == f"ada, your move was played: {star} {board} {space}"
    assert happened(game_id).count("star-placed") >= 1


def test_our_reply_to_an_illegal_move_gives_the_reason_and_the_legal_moves(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    line = an_illegal_move(game_id, ada)
    answer = ada_writes(office, line)
    assert f"that didn't work.\n\n  {line}\n" in answer.text
    star, board, space = a_move(game_id, ada).split(" ")
    assert re.search(rf"^  {star} {board}: {space} \|", answer.text, re.MULTILINE)
    assert "star-placed" not in happened(game_id)
    ada_writes(office, a_move(game_id, ada))  # the answer can be answered, too
    assert "star-placed" in happened(game_id)


def test_a_move_in_reply_to_the_email_about_the_start_is_told_whose_turn_it_is(
    office: Office, ada: UUID, bea: UUID
) -> None:
    game_of(ada, bea, bots=1, options={"start_seat": 1})
    [begun] = office.mails("ada")
    arrives(begun.reply_to, a_mail("1 leo a"))
    deal_with_mails()
    assert "It isn't your turn. We're waiting for bea." in office.mails("ada")[-1].text


def test_our_reply_to_a_move_for_a_past_turn_shows_the_current_state(office: Office, game_id: UUID, ada: UUID) -> None:
    (turn,) = office.mails("ada")
    line, other = a_move(game_id, ada), a_move(game_id, ada, 1)
    moves_on(game_id, ada)
    arrives(turn.reply_to, a_mail(other))
    deal_with_mails()
    answer = office.mails("ada")[-1]
    assert "That turn is over" in answer.text
    assert f"  {other}\n" in answer.text
    assert "The table now:" in answer.text
    assert happened(game_id).count("star-placed") == 1
    arrives(turn.reply_to, a_mail(line))  # the very same move again
    deal_with_mails()
    assert f"your move was played: {line}" in office.mails("ada")[-1].text
    assert happened(game_id).count("star-placed") == 1


def test_text_without_a_move_does_nothing_and_our_reply_explains_the_notation(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    answer = ada_writes(office, f"I play {a_move(game_id, ada)}, I think.")
    assert "We don't know the word \"think\". This isn't quite the right form" in answer.text
    assert "Commands, each on its own line" in answer.text
    assert "star-placed" not in happened(game_id)


def test_a_misspelt_move_is_not_played_and_our_reply_suggests_it(office: Office, game_id: UUID, ada: UUID) -> None:
    star, board, space = a_move(game_id, ada).split()
    answer = ada_writes(office, f"{star} {board}{board[-1]} {space}")
    assert "star-placed" not in happened(game_id)
    assert f'Did you mean "{star} {board} {space}"? Then just reply "yes".' in answer.text
    assert "  help (" in answer.text and "  resume (" not in answer.text
    assert "Your possible moves" not in answer.text
    assert f"your move was played: {star} {board} {space}" in " ".join(ada_writes(office, "Yes please!").text.split())


def test_a_move_behind_a_colon_is_suggested_and_consent_to_nothing_is_named(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    star, board, space = a_move(game_id, ada).split()
    for line in ("I agree", "yes"):
        assert "There's nothing to agree to" in ada_writes(office, line).text
    assert f'Did you mean "{star} {board} {space}"?' in ada_writes(office, f"{board} {space}: {star}").text
    taken = ada_writes(office, f"{star} {board} {space}").text
    assert "your move was played" in taken


def test_our_reply_to_a_misspelt_line_says_that_the_other_lines_were_understood(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    move = a_move(game_id, ada)
    answer = ada_writes(office, f"{move}\n\nplan 99 leo c\n\nsay Good evening!")
    told = " ".join(answer.text.split())
    assert answer.subject.startswith("Please check")
    assert "\n  plan 99 leo c\n" in answer.text
    assert f"We understood “{move}” and “say Good evening!”, but did nothing because of the line above." in told
    assert messages(game_id) == []
    assert turn_of_ada(game_id) is not None
    assert "We understood" not in ada_writes(office, "plan 99 leo c").text
    ada_writes(office, f"{move}\n\nsay Good evening!")
    assert messages(game_id) == ["Good evening!"]
    assert turn_of_ada(game_id) is None


def test_an_unknown_word_in_a_move_is_named_with_the_possible_ones(office: Office, game_id: UUID, ada: UUID) -> None:
    star, board, space = a_move(game_id, ada).split()
    answer = ada_writes(office, f"{star} xyzzy {space}")
    found = re.search(r'We don\'t know the word "xyzzy"\. Possible here: ([a-z, ]+)\.', " ".join(answer.text.split()))
    assert found
    rules, state = GAMES["sternenhimmel"], head_of(game_id).table.state
    legal = [rules.write_move(it).split() for it in rules.legal_moves(state, 0)]
    assert set(found[1].split(", ")) == {it[1] for it in legal if (it[0], it[2]) == (star, space)}
    assert board in found[1]


def test_a_sentence_while_others_move_says_whose_turn_it_is_and_how_to_plan(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    (letter,) = office.mails("ada")
    moves_on(game_id, ada)
    arrives(letter.reply_to, a_mail("Okay, then my lovely 5 in tau e."))
    deal_with_mails()
    answer = office.mails("ada")[-1]
    assert "It isn't your turn. We're waiting for bea. To plan a move for your next turn" in answer.text
    assert "This isn't quite" not in answer.text


def test_the_examples_in_our_help_name_only_what_is_in_play(office: Office, game_id: UUID, ada: UUID) -> None:
    boards = {board["id"] for board in GAMES["sternenhimmel"].describe()["boards"]}
    in_play = {board["board"] for board in view_of(head_of(game_id), 0)["boards"]}

    def examples() -> list[str]:
        told = ada_writes(office, "What do I do?").text
        found = re.findall(r"^  (?:plan )?(\S+ \S+ \S) \(", told, re.MULTILINE)
        assert len(found) == 1, told
        assert {word for line in found for word in line.split()} & boards <= in_play
        return found

    assert examples()[0] in [a_move(game_id, ada, nr) for nr in range(len(legal_moves(game_id, ada, [])["moves"]))]
    moves_on(game_id, ada)
    star, _, _ = examples()[0].split()
    assert star in view_of(head_of(game_id), 0)["hand"]


@pytest.mark.parametrize("text", ["Unsubscribe", "stop!", "Abmelden\n\nVon meinem iPhone gesendet"])
def test_a_player_who_wants_no_emails_learns_how_to_stop_them(
    office: Office, game_id: UUID, ada: UUID, text: str
) -> None:
    told = " ".join(ada_writes(office, text).text.split())
    assert 'To stop all emails about your games, reply "set mails off".' in told
    arrives(office.mails("ada")[0].reply_to, a_mail("set mails off"))
    deal_with_mails()
    deal_with_desk(RECORDS)
    assert profile(ada)["notifications"]["mails"]["your-turn"] == "off"


@pytest.mark.parametrize(
    "text",
    ["name Benedict\n{move}\nsay hi", "Name Benedict\n\n{move}\nsay hi", "{move}\n\nsay hi\nset name Benedict\n\nAda"]
    + ["{move}\n\nsay hi\n\nname is Benedict", "{move}\n\nSet name Benedict\n\nsay hi"],
)
def test_a_setting_beside_a_move_is_changed_and_the_move_is_played(
    office: Office, game_id: UUID, ada: UUID, text: str
) -> None:
    told = ada_writes(office, text.format(move=a_move(game_id, ada)))
    deal_with_desk(RECORDS)
    assert told.subject == "Move played: Sternenhimmel"
    assert (profile(ada)["name"], messages(game_id)) == ("Benedict", ["hi"])
    assert happened(game_id)[-1] == "star-placed"
    assert "Benedict" in office.mails("ada")[-1].text


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        *(("en", "name Benedict\n{move}\nperhaps"), ("en", "name Benedict\n{move}\n\nOr rather pass, if Bea agrees.")),
        ("en", "name Benedict\n\nHow nice it is here tonight, with all these stars above us."),
        *(("en", "{move}\n\nOn Monday, Bea wrote:\nname Benedict"), ("en", "{move}\n\n> name Benedict")),
        *(("en", "{move}\n\nName: Benedict\nPhone: 030 1234567"), ("en", "{move}\n\nThanks!\n\nName Ada Rossi")),
        *(("en", "{move}\n\nName one good reason!"), ("en", "{move}\n\nname one good reason")),
        *(("en", "{move}\n\nname Benedict!"), ("fr", "{move}\n\nNom de Dieu !"), ("fr", "Nom de Dieu !\n\n{move}")),
        *(("it", "{move}\n\nNome strano!"), ("it", "{move}\n\nGrazie\n\nNome Anna Rossi")),
        ("de", "{move}\n\nName vergessen!"),
    ],
)
def test_a_doubtful_setting_beside_a_move_changes_nothing(
    office: Office, game_id: UUID, ada: UUID, locale: str, text: str
) -> None:
    change_profile(ada, {"locale": locale})
    ada_writes(office, text.format(move=a_move(game_id, ada)))
    deal_with_desk(RECORDS)
    assert profile(ada)["name"] == "ada"
    assert locale == "en" or happened(game_id)[-1] == "star-placed"  # the others only look like a setting


def test_a_setting_from_another_address_changes_nothing(office: Office, game_id: UUID, ada: UUID) -> None:
    move = a_move(game_id, ada)
    asked = ada_writes(office, f"{move}\n\nname Benedict", sender="ada@other.example")
    ada_writes(office, confirmation_in(asked))
    deal_with_desk(RECORDS)
    assert (profile(ada)["name"], happened(game_id)[-1]) == ("ada", "star-placed")


@pytest.mark.parametrize("locale", LOCALES)
def test_the_words_that_stop_emails_are_those_of_the_reader(locale: str) -> None:
    stop, resign = re.findall(r'["“„«]\W?([\w ]+?)\W?["”“»]', language(locale).gettext(_PROBLEMS["asks-to-stop"]))
    assert stop.split()[:-1] == [BY_NAME[SET].word(locale), setting_word(MAILS, locale)]
    assert is_off(stop.split()[-1])
    assert resign == word_for(RESIGN, locale)
    for name in GAMES:
        assert [it.command for it in commands_beside_table([stop], locale, name)] == [SET]


@pytest.mark.parametrize("text", ["pause please", "Please pause!", "Pause, danke!", "bitte pause", "Pause!", "pause."])
def test_polite_words_around_a_command_do_not_matter(office: Office, game_id: UUID, ada: UUID, text: str) -> None:
    assert "The game will pause as soon as everyone agrees." in " ".join(ada_writes(office, text).text.split())


@pytest.mark.parametrize(
    ("text", "told"), [("Hilfe", "hands your seat to a bot"), ("Regeln bitte", "The rules of game 1")]
)
def test_help_and_rules_are_understood_in_every_language(
    office: Office, game_id: UUID, ada: UUID, text: str, told: str
) -> None:
    arrives(office.mails("ada")[0].reply_to, a_mail(text))
    deal_with_mails()
    deal_with_desk(RECORDS)
    assert told in " ".join(office.mails("ada")[-1].text.split())


def test_only_a_question_that_may_be_a_move_is_answered_as_not_done(office: Office, game_id: UUID, ada: UUID) -> None:
    move = a_move(game_id, ada)
    question = "Hi, how many stars do I have left?"
    for text, headline in (
        (question, "Reply"),
        (f"{move}?", "Please check"),
        (f"{move}\n\nMay I play that?", "Please check"),
        (f"say Hello\n\nMay I play {move}?", "Please check"),
        (f"{move}\n\n{question}", "Move played"),
    ):
        assert ada_writes(office, text).subject.startswith(f"{headline}: "), text
    assert question in ada_writes(office, question).text


def test_a_question_is_answered_with_the_ways_to_ask(office: Office, game_id: UUID, ada: UUID) -> None:
    for text in ("Hi, how is your grandmother?", f"May I play {a_move(game_id, ada)}?"):
        told = " ".join(ada_writes(office, text).text.split())
        assert "We can't answer this question, so nothing was done." in told
        for way in (
            'begin the line with "say"',
            "? (sends you your",
            "rules (sends you the rules)",
        ):
            assert way in told
    assert "star-placed" not in happened(game_id)


def test_an_email_with_only_quoted_text_gets_a_reply(office: Office, game_id: UUID) -> None:
    quoted = "\n".join(f"> {line}" for line in office.mails("ada")[-1].text.splitlines())
    assert "We found no reply above our email" in ada_writes(office, quoted).text


def test_moves_in_quoted_lines_are_not_played_even_without_quote_marks(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    copy = office.mails("ada")[-1].text.partition("\n\n")[2]  # without the line above which one answers
    assert re.search(rf"^  {a_move(game_id, ada)}$", copy, re.MULTILINE)
    ada_writes(office, f"What a night.\n\n{copy}")
    assert "star-placed" not in happened(game_id)


def test_a_question_mark_requests_the_legal_moves(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    answer = ada_writes(office, "?")
    star, board, _ = a_move(game_id, ada).split(" ")
    assert f"\n  {star} {board}: " in answer.text
    moves_on(game_id, ada)
    assert "It isn't your turn" in ada_writes(office, "?").text


def calls(functions: Sequence[FunctionType], action: Callable[[], object]) -> list[tuple[str, object]]:
    """Return which of these functions the action calls, under any imported name, each with its first argument."""
    met: list[tuple[str, object]] = []
    codes = {function.__code__: function.__name__ for function in functions}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            met.append((codes[frame.f_code], frame.f_locals[frame.f_code.co_varnames[0]]))

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return met


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_reply_with_a_move_loads_its_game_and_parses_its_text_once(
    office: Office, ada: UUID, bea: UUID, rules: str
) -> None:
    game_id = game_of(ada, bea, bots=rules == "sternenhimmel", rules=rules)
    module, line = GAMES[rules], a_move(game_id, ada)
    arrives(office.mails("ada")[-1].reply_to, a_mail(f"Good evening!\n\n{line}\n\nAda"))
    met = calls([commits._snapshot, answering._read, answering._wishes, module.move_from_json], deal_with_mails)
    assert [name for name, _ in met] == ["_snapshot", "_read", "_wishes"]
    assert f"your move was played: {in_words(module, line, 'en')}" in office.mails("ada")[-1].text


# Time


@pytest.mark.parametrize("is_move", [True, False])
def test_an_email_received_before_the_deadline_delays_the_time_out_until_it_is_processed(
    office: Office, game_id: UUID, ada: UUID, is_move: bool
) -> None:
    line, due_at = a_move(game_id, ada) if is_move else "?", seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at - MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))
    until(due_at + HOUR)
    everything_due_happens()
    assert "time-extended" not in happened(game_id)
    deal_with_mails()
    later(MINUTE)
    everything_due_happens()
    assert ("time-extended" in happened(game_id)) is not is_move
    assert (f"your move was played: {line}" in office.mails("ada")[-1].text) is is_move


def test_an_email_received_after_the_due_time_does_not_delay_the_time_out(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    line, due_at = a_move(game_id, ada), seats_of(game_id)[0].due_at
    office.mails("ada")
    until(due_at + MINUTE)
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))
    everything_due_happens()
    assert "time-extended" in happened(game_id)


def test_an_email_received_while_the_clock_was_fast_counts_as_received_now(office: Office, game_id: UUID) -> None:
    office.mails("ada")
    clock.forward(2 * DAY)
    service_is_up()
    arrives(office.mails("ada")[-1].reply_to, a_mail("say Good evening!"))
    clock.forward(-2 * DAY)
    service_is_up()
    follow_outages()
    deal_with_mails()
    assert messages(game_id) == ["Good evening!"]


def test_a_turns_clock_stops_when_the_email_with_the_move_arrives(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock={"bank": "P3D", "increment": "PT1H", "cap": "P5D"})
    line = a_move(game_id, ada)
    office.mails("ada")
    later(DAY)
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))
    later(DAY)
    deal_with_mails()
    assert timedelta(seconds=seats_of(game_id)[0].allowed) == pytest.approx(2 * DAY + HOUR, abs=HOUR / 2)


# Words, pauses, leaving


def test_text_after_say_is_posted_in_the_chat(office: Office, game_id: UUID) -> None:
    assert "Your message is in the chat" in ada_writes(office, "say Good evening, all!\nsay And good luck.").text
    assert messages(game_id) == ["Good evening, all!", "And good luck."]


def test_the_answer_to_a_chat_message_or_pause_does_not_repeat_the_table(office: Office, game_id: UUID) -> None:
    for words, is_shown in (("say Good evening!", False), ("pause", False), ("7 nowhere z", True)):
        mail = ada_writes(office, words)
        kinds = [part.get_content_maintype() for part in mail.message.walk()]
        assert ("The table now:" in mail.text, "image" in kinds) == (is_shown, is_shown), words


@pytest.mark.parametrize("locale", LOCALES)
def test_the_answer_says_that_a_space_or_a_star_does_not_exist(office: Office, ada: UUID, locale: str) -> None:
    change_profile(ada, {"locale": locale})
    say = language(locale).gettext
    himmel, glanz = (game_of(ada, bots=2, rules=it, options={"start_seat": 0}) for it in GAMES)
    everything_due_happens()
    _, board, space = a_move(himmel, ada).split(" ")
    moves_on(glanz, ada)
    everything_due_happens()
    move = in_words(GAMES["sternenglanz"], a_move(glanz, ada), locale)
    step, hand = move.rpartition(" ")[0], " ".join(view_of(load(himmel), 0)["hand"])
    for game_id, line, told in (
        (
            himmel,
            f"11 {board} {space}",
            say("You have no %(star)s in your hand. Your hand is %(hand)s.", star="11", hand=hand),
        ),
        (himmel, f"1 {board} (z9)", say("There is no space %(word)s.", word="z9")),
        (glanz, f"{step} z9", say("There is no space %(word)s.", word="z9")),
        (glanz, f"{move}; 2 {step.partition(' ')[2]} a99", say("There is no space %(word)s.", word="a99")),
    ):
        turn = seats_of(game_id)[0].turn
        assert turn is not None
        before = happened(game_id)
        arrives(f"{reply_word(game_id, 0, turn)}@{DOMAIN}", a_mail(line))
        deal_with_mails()
        answer = office.mails("ada")[-1]
        assert " ".join(told.split()) in " ".join(answer.text.split())
        assert say(_PROBLEMS["not-understood"]) not in answer.text
        assert happened(game_id) == before


def test_a_game_pauses_and_resumes_when_all_players_agree(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    assert "as soon as everyone agrees" in ada_writes(office, "pause").text
    vote(game_id, bea, "pause", True)
    assert head_of(game_id).table.status == "paused"
    for line in ("7 leo c", "please put my 7 on leo c", "blah 7 leo c"):
        assert 'The game is paused. To continue it, reply "resume".' in " ".join(ada_writes(office, line).text.split())
    vote(game_id, bea, "resume", True)
    assert "\n- The game was resumed.\n" in ada_writes(office, "Resume!").text
    assert head_of(game_id).table.status == "running"


def test_undo_takes_back_the_players_last_move(office: Office, game_id: UUID, ada: UUID) -> None:
    office.mails("ada")
    move = a_move(game_id, ada)
    moves_on(game_id, ada)
    turn = ada_writes(office, "undo")
    assert turn.subject == "Your turn: Sternenhimmel"
    assert f"it's your turn.\nYour move has been taken back: {move}\nPlease move by" in turn.text
    assert f"Your move has been taken back: {move}" in turn.page
    assert happened(game_id)[-2:] == ["star-placed", "move-taken-back"]
    assert "no move to take back" in ada_writes(office, "Undo!").text


def test_players_who_have_since_moved_can_agree_to_a_take_back_by_email(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    office.mails("ada")
    moves_on(game_id, ada)
    office.mails("bea")
    moves_on(game_id, bea)
    everything_due_happens()
    answer = ada_writes(office, "undo")
    assert re.search(r"We've asked the others\. .* agrees by .+ \d+:\d\d.*\. No answer", " ".join(answer.text.split()))
    assert "What would be undone: You put " in " ".join(answer.text.split())
    arrives(office.mails("bea")[-1].reply_to, a_mail("agree", sender="bea@example.org"))
    deal_with_mails()
    assert happened(game_id)[-1] == "move-taken-back"
    assert "Everyone has agreed." in next(
        it.text for it in reversed(office.mails("bea")) if it.message["Auto-Submitted"] == "auto-replied"
    )
    assert "No take-back vote is open." in ada_writes(office, "agree").text


def test_an_email_takes_back_only_the_last_move_before_it_was_written(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    office.mails("ada")
    moves_on(game_id, ada)
    arrives(office.mails("ada")[-1].reply_to, a_mail("undo"))
    take_back(game_id, ada, 1)
    later(MINUTE)
    moves_on(game_id, ada)
    deal_with_mails()
    assert happened(game_id)[-1] == "star-placed"
    assert "Your move has been taken back: " in office.mails("ada")[-1].text


def test_a_take_back_and_a_simultaneous_emailed_move_exclude_each_other(
    app: Flask, office: Office, ada: UUID, bea: UUID
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0, "take_back": "free"})
    moves_on(game_id, ada)
    arrives(office.mails("bea")[-1].reply_to, a_mail(a_move(game_id, bea), sender="bea@example.org"))

    def goes_back() -> bool:
        try:
            return take_back(game_id, ada, 1).is_done
        except errors.TooLate:
            return False

    is_back, _ = at_once(app, [goes_back, deal_with_mails])
    counted = [type_ for type_ in happened(game_id) if type_ in ("star-placed", "move-taken-back")]
    assert counted == ["star-placed", "move-taken-back" if is_back else "star-placed"]
    assert any("That turn is over" in mail.text for mail in office.mails("bea")) == is_back


def test_our_reply_explains_that_the_options_forbid_taking_a_move_back(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0, "take_back": "never"})
    office.mails("ada")
    moves_on(game_id, ada)
    assert "This game doesn't allow you to take moves back." in ada_writes(office, "undo").text


def test_a_wish_to_undo_when_it_is_another_players_turn_is_told_the_word(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    office.mails("ada")
    moves_on(game_id, ada)
    for text in ("oops, perhaps I should undo it", "maybe take that back?"):
        answer = " ".join(ada_writes(office, text).text.split())
        assert " undo (" in answer or 'reply "undo"' in answer, answer
        assert "To plan a move" not in answer


@pytest.mark.parametrize(
    "text",
    [
        *(
            "can I take that back please?",
            "oops, undo please",
            "undo it, please!",
            "Hi Bea,\n\nplease take that back.\n\nAda",
            "Oops, I'd like to undo that",
        ),
        *("Kann ich das bitte zurücknehmen?", "Je voudrais annuler mon coup, s'il te plaît"),
        "Vorrei ritirare la mia mossa",
    ],
)
def test_a_clear_request_in_words_takes_the_move_back(office: Office, game_id: UUID, ada: UUID, text: str) -> None:
    office.mails("ada")
    line = a_move(game_id, ada)
    moves_on(game_id, ada)
    assert "Your move has been taken back" in " ".join(ada_writes(office, text).text.split())
    assert a_move(game_id, ada) == line


def test_a_stranger_takes_no_move_back_in_words(office: Office, game_id: UUID, ada: UUID) -> None:
    office.mails("ada")
    moves_on(game_id, ada)
    before = happened(game_id)
    ada_writes(office, "can I take that back please?", sender="eve@example.org")
    assert happened(game_id) == before


def test_a_greeting_before_a_move_is_ignored(office: Office, game_id: UUID, ada: UUID) -> None:
    line = a_move(game_id, ada)
    assert f"your move was played: {line}" in " ".join(ada_writes(office, f"Hi! {line}").text.lower().split())


def test_our_reply_names_the_step_that_was_not_understood(office: Office, ada: UUID, bea: UUID) -> None:
    game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0})
    answer = ada_writes(office, "3 move c6 d9 e9; frobnicate everything").text
    assert "We don't understand this part of the line: “frobnicate everything”." in " ".join(answer.split())


def test_a_message_beside_a_move_that_failed_is_posted_once(office: Office, game_id: UUID, ada: UUID) -> None:
    line, other = a_move(game_id, ada), a_move(game_id, ada, -1)
    address = office.mails("ada")[-1].reply_to
    ada_writes(office, line)
    arrives(address, a_mail(f"{other}\n\nsay Good luck!"))
    deal_with_mails()
    failed = office.mails("ada")[-1]
    assert "Your message is in the chat already, so you needn't send it again." in failed.text
    arrives(address, a_mail("say Good luck!\nsay Have fun!"))
    deal_with_mails()
    assert messages(game_id) == ["Good luck!", "Have fun!"]
    later(HOUR)
    arrives(address, a_mail("say Good luck!"))
    deal_with_mails()
    assert len(messages(game_id)) == 3


@pytest.mark.parametrize("text", ["Please stop sending me emails.", "How do I stop all these emails?"])
def test_a_wish_for_fewer_emails_is_answered(office: Office, game_id: UUID, text: str) -> None:
    assert 'To get no emails about your games, reply "set mails off".' in ada_writes(office, text).text


@pytest.mark.parametrize("yes", ["yes", "Yes, I am sure.", "Ja!"])
def test_a_yes_confirms_a_resignation_if_the_sender_is_proved(office: Office, game_id: UUID, yes: str) -> None:
    proof = {"Authentication-Results": "mx.stars.example; dmarc=pass header.from=example.org"}
    ada_writes(office, "resign", **proof)
    ada_writes(office, yes)
    assert not is_resigned(game_id)
    ada_writes(office, "resign", **proof)
    tells_only_of_resignation(ada_writes(office, yes, **proof))
    assert is_resigned(game_id)


@pytest.mark.parametrize("yes", ["yes", "Yes, I'm sure", "ja"])
def test_a_yes_to_the_letter_that_asks_confirms_a_resignation(office: Office, game_id: UUID, yes: str) -> None:
    asked = ada_writes(office, "resign")
    to_it = {"In-Reply-To": str(asked.message["Message-ID"])}
    assert "reply with this line" in " ".join(ada_writes(office, yes).text.split())
    again = ada_writes(office, yes)  # to another letter of ours
    assert f'reply with this line: "{confirmation_in(asked)}"' in " ".join(again.text.split())
    ada_writes(office, yes, sender="eve@other.example", **to_it)
    ada_writes(office, f"{yes}?\n\nBut I may still change my mind.", **to_it)
    assert not is_resigned(game_id)
    tells_only_of_resignation(ada_writes(office, yes, **to_it))
    assert is_resigned(game_id)


def tells_only_of_resignation(answer: Letter) -> None:
    """Check that an answer tells only of the resignation."""
    assert "You've resigned" in answer.text and "Please check" not in answer.subject
    assert "didn't work" not in answer.text and "reply with this line" not in " ".join(answer.text.split())


def test_a_yes_to_the_turn_letter_changes_nothing_and_says_so(office: Office, game_id: UUID) -> None:
    (turn,) = office.mails("ada")
    ada_writes(office, "resign")
    arrives(turn.reply_to, a_mail("yes", **{"In-Reply-To": str(turn.message["Message-ID"])}))
    deal_with_mails()
    answer = office.mails("ada")[-1]
    assert answer.subject.startswith("Please check") and "To confirm it, reply with this line" in answer.text
    assert not is_resigned(game_id)


@pytest.mark.parametrize("line", ["vacation 2027-07-01..2027-07-14", "stand-in cyd@example.org 2027-07-01..2027-07-14"])
def test_a_yes_that_confirms_is_answered_by_what_it_did(office: Office, game_id: UUID, line: str) -> None:
    asked = ada_writes(office, line)
    answer = ada_writes(office, "yes", **{"In-Reply-To": str(asked.message["Message-ID"])})
    assert "Please check" not in answer.subject and "To confirm it" not in answer.text


def test_a_yes_asks_back_while_another_player_waits_for_one(office: Office, game_id: UUID, bea: UUID) -> None:
    asked = ada_writes(office, "resign")
    vote(game_id, bea, "pause", True)
    proof = {"Authentication-Results": "mx.stars.example; dmarc=pass header.from=example.org"}
    arrives(asked.reply_to, a_mail("yes", **{"In-Reply-To": str(asked.message["Message-ID"])}, **proof))
    deal_with_mails()
    told = " ".join(office.mails("ada")[-1].text.split())
    assert f'"pause" to the pause; "{confirmation_in(asked)}" to your own request.' in told
    assert not is_resigned(game_id)
    assert head_of(game_id).table.status == "running"


def test_resigning_takes_effect_when_confirmed(office: Office, game_id: UUID) -> None:
    asked = ada_writes(office, "resign")
    assert "You wrote:\n  resign\n" in asked.text
    assert "a bot plays on for you" in asked.text
    assert f'reply with this line: "{confirmation_in(asked)}"' in " ".join(ada_writes(office, "Yes").text.split())
    assert not is_resigned(game_id)
    answer = ada_writes(office, confirmation_in(asked))
    assert "You've resigned" in answer.text
    assert answer.text.count("bot is playing") == 1
    assert f"Take your seat back here: http://127.0.0.1:8000/back/{return_word(game_id, 0)}" in answer.text
    assert is_resigned(game_id)
    assert "There's nothing left to confirm" in ada_writes(office, confirmation_in(asked)).text


def test_a_player_against_bots_alone_learns_what_resigning_does_and_how_to_play_a_weaker_bot(
    office: Office, ada: UUID
) -> None:
    game_of(ada, bots=2, options={"start_seat": 0})
    everything_due_happens()
    asked = ada_writes(office, "resign")
    assert "only bots are left, and they finish the game at once" in " ".join(asked.text.split())
    arrives(asked.reply_to, a_mail(confirmation_in(asked)))
    deal_with_mails()
    everything_due_happens()
    assert 'Reply "rematch" to play again' in office.mails("ada")[-1].text
    for text, level in (("Revanche mit leichterem Bot", 1), ("A rematch against a stronger bot, please", 3)):
        told = " ".join(ada_writes(office, text).text.split())
        assert f'bots of level {level}, reply "play sternenhimmel 3 level={level}"' in told


def test_a_vacation_takes_effect_when_confirmed(office: Office, game_id: UUID, ada: UUID) -> None:
    first, last = (clock.now() + 10 * DAY).date(), (clock.now() + 15 * DAY).date()
    asked = ada_writes(office, f"vacation {first}..{last}")
    assert profile(ada)["calendar"] == {}
    said = f"from {first:%-d %B %Y} to {last:%-d %B %Y}"
    assert said in ada_writes(office, confirmation_in(asked)).text
    assert profile(ada)["calendar"] == {"vacations": [{"from": str(first), "to": str(last)}]}


def test_our_reply_to_an_impossible_vacation_gives_the_reason(office: Office, game_id: UUID, ada: UUID) -> None:
    first, last = (clock.now() + 10 * DAY).date(), (clock.now() + 100 * DAY).date()
    answer = ada_writes(office, confirmation_in(ada_writes(office, f"vacation {first}..{last}")))
    assert "42" in answer.text
    assert profile(ada)["calendar"] == {}


def test_a_move_next_to_a_command_that_needs_confirmation_takes_effect_immediately(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    first = (clock.now() + 10 * DAY).date()
    answer = ada_writes(office, f"{a_move(game_id, ada)}\nvacation {first}..{first}")
    assert "star-placed" in happened(game_id)
    assert confirmation_in(answer)


def test_our_reply_reports_whose_turn_it_is_when_it_is_sent(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    letter = office.mails("ada")[-1]
    moves_on(game_id, ada)
    arrives(letter.reply_to, a_mail("?"))
    deal_with_mails()
    moves_on(game_id, bea)
    everything_due_happens()  # the bot moves
    assert seats_of(game_id)[0].turn is not None
    (answer,) = (mail for mail in office.mails("ada") if mail.message["Auto-Submitted"] == "auto-replied")
    assert "It's your turn." in answer.text and "Your possible moves" in answer.text
    assert "It isn't your turn" not in answer.text
    moves_on(game_id, ada)
    assert "It isn't your turn" in ada_writes(office, "?").text


# Doubtful emails from the player's own address


def test_a_forged_email_for_a_seat_must_be_confirmed_by_the_player(office: Office, game_id: UUID, ada: UUID) -> None:
    """A letter may have been forwarded, with its address."""
    before = happened(game_id)
    forged = {"Authentication-Results": "mx.stars.example; dmarc=fail header.from=example.org"}
    for text in ("set zone Europe/Rome", a_move(game_id, ada)):
        asked = ada_writes(office, text, **forged)
        assert "couldn't verify its sender" in asked.text
    assert happened(game_id) == before
    assert profile(ada)["zone"] == "UTC"
    played = ada_writes(office, confirmation_in(asked))
    assert "your move was played" in played.text


def test_a_late_copy_of_an_email_must_be_confirmed_unless_it_is_a_move(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    written = {"Date": "Mon, 02 Nov 2026 10:00:00 +0000"}
    asked = ada_writes(office, "say Good evening", **written)
    assert "may be an old copy" in asked.text
    assert messages(game_id) == []
    ada_writes(office, confirmation_in(asked), **written)  # a wrong clock
    assert messages(game_id) == ["Good evening"]
    assert "your move was played" in ada_writes(office, a_move(game_id, ada), **written).text


@pytest.mark.parametrize("births", [0, 1])
def test_a_move_without_its_slot_is_played_if_only_one_slot_fits(
    office: Office, monkeypatch: pytest.MonkeyPatch, ada: UUID, bea: UUID, births: int
) -> None:
    """In Sternenglanz, where slot 1 begins with a star birth, and another one in a slot allows the same moves."""
    monkeypatch.setattr(games, "secrets", SimpleNamespace(token_bytes=Random(SEED).randbytes))
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0})
    rules = GAMES["sternenglanz"]

    def legal(seat: int) -> list[str]:
        return [rules.write_move(it) for it in rules.legal_moves(head_of(game_id).table.state, seat)]

    moves_on(game_id, ada, next(nr for nr, it in enumerate(legal(0)) if it.count("geburt") == births))
    moves_on(game_id, bea)
    line = next(it for it in legal(0) if " lay " in it).partition(" ")[2]
    assert sum(it.endswith(line) for it in legal(0)) == 1 + births
    answer = " ".join(ada_writes(office, line).text.split())
    assert ("your turn goes on. You've played so far: 1 lay" in answer) == (births == 0)
    assert ("This line fits several moves: 1 lay" in answer) == (births == 1)


def test_a_card_without_its_number_is_played_after_the_actions_of_the_same_email(
    office: Office, monkeypatch: pytest.MonkeyPatch, ada: UUID, bea: UUID
) -> None:
    monkeypatch.setattr(games, "secrets", SimpleNamespace(token_bytes=Random(SEED).randbytes))
    game_id, rules = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0}), GAMES["sternenglanz"]
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    state, steps = head_of(game_id).table.state, list[Move]()
    while not isinstance((last := rules.legal_moves(state, 0, steps)[-1]).steps[0], LayCards):
        steps.append(last)
    whole = "; ".join(write_move(rules, it, "en") for it in (*steps, last))
    written = re.sub(r"\s#[0-9]+", "", whole)
    assert written != whole
    answer = " ".join(ada_writes(office, written).text.split())
    assert "Your turn is over" in answer
    assert list(head_of(game_id).table.to_act) == [1]


def test_the_email_about_a_turn_that_goes_on_after_an_undo_says_what_was_played(
    office: Office, monkeypatch: pytest.MonkeyPatch, ada: UUID, bea: UUID
) -> None:
    monkeypatch.setattr(games, "secrets", SimpleNamespace(token_bytes=Random(SEED).randbytes))
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0})
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    first = in_words(GAMES["sternenglanz"], a_move(game_id, ada), "en")
    ada_writes(office, first)
    ada_writes(office, a_move(game_id, ada))
    letter = ada_writes(office, "undo")
    for part in (letter.text, letter.page):
        assert f"You've played so far: {first}" in unescape(part)
        assert "Your move has been taken back: " in part


def test_a_resignation_is_quoted_as_it_was_written(office: Office, game_id: UUID) -> None:
    for text in ("Ich gebe auf, danke fürs Spiel!", "resign", "I give up"):
        answer = ada_writes(office, text)
        for part in (answer.text, answer.page):
            assert text in part, text
        assert ("  resign" in answer.text) == (text == "resign")
    ada_writes(office, confirmation_in(answer))
    assert head_of(game_id).table.stand_ins[0]


def test_an_absent_player_takes_the_seat_back_by_email(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    for _ in range(9):
        if head_of(game_id).table.stand_ins[0]:
            break
        later(3 * DAY)
        everything_due_happens()
    (letter,) = (
        it for it in office.mails("ada") if "seat-handed-over" in it.raw.decode() or "can come back" in it.text
    )
    told = 'Or reply "join 1".'
    assert told in letter.text and "join 1" in letter.page
    answer = ada_writes(office, "whose turn is it?")
    assert told in answer.text
    for number, to in enumerate((letter.reply_to, answer.reply_to)):
        if number:
            leave(game_id, ada)
        assert head_of(game_id).table.stand_ins[0]
        arrives(to, a_mail("join 1"))
        deal_with_mails()
        deal_with_desk(RECORDS)
        assert not head_of(game_id).table.stand_ins[0]
