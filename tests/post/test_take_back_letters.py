"""Letters about take-backs: notices and questions to the other players."""

import re
from uuid import UUID

import pytest
from flask import Flask

from server.play.commits import load
from server.play.turns.turn_links import turn_word
from server.play.views import story
from server.play.votes import refusals_of, take_back, vote, votes_of
from server.post.incoming.answering import deal_with_mails
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.contract import Someone
from tests.support.games import DAY, everything_due_happens, game_of, happened, later, moves_on, turn_of

pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


@pytest.fixture
def game_id(ada: UUID, bea: UUID, cyd: UUID) -> UUID:
    return game_of(ada, bea, cyd)


def asked(office: Office, name: str) -> list[Mail]:
    return [mail for mail in office.mails(name) if "is asking to take back a move" in mail.text]


def test_all_other_players_are_asked_once_about_a_take_back_with_its_deadline_and_can_reply(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    for _ in range(2):
        take_back(game_id, ada, 1)
    assert [len(asked(office, name)) for name in ("ada", "bea", "cyd")] == [0, 1, 1]
    for name in ("bea", "cyd"):
        (mail,) = asked(office, name)
        assert mail.subject == "ada asks to take back a move: Sternenhimmel"
        assert "What would be undone:\n- ada put" in mail.text
        assert "if everyone agrees by" in mail.text
        arrives(mail.reply_to, a_mail("agree", sender=f"{name}@example.org"))
    deal_with_mails()
    assert happened(game_id)[-1] == "move-taken-back"


def test_a_player_reads_whose_move_has_ended_their_request(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    for who in (cyd, ada, bea, cyd):
        moves_on(game_id, who)
        everything_due_happens()
        office.delivers()
    told = "cyd moved, so your request to take back a move has ended."
    turns = [mail.text for mail in office.mails("ada") if mail.subject.startswith("Your turn")]
    assert [told in " ".join(it.split()) for it in turns[-2:]] == [True, False]


def test_a_request_lists_the_whole_turn_with_the_cards_that_were_laid(
    app: Flask, office: Office, ada: UUID, bea: UUID
) -> None:
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0})
    for who in (ada, bea):
        moves_on(game_id, who)
    starts = load(game_id).version
    while turn_of(game_id, ada) is not None:
        last = load(game_id).version
        moves_on(game_id, ada)
    moves_on(game_id, bea)
    take_back(game_id, ada, last)  # only cards were laid
    (letter,) = asked(office, "bea")
    assert re.search(r"What would be undone:\n- ada played .*\n(?:  .*\n)*- You ", letter.text)
    vote(game_id, ada, "take-back", False)
    take_back(game_id, ada, starts)
    told = asked(office, "bea")[-1].text.partition("What would be undone:\n")[2].partition("\n\n")[0]
    undoes = Someone(app, "bea").get(f"/v1/games/{game_id}/votes").json["take-back"]["undoes"]
    assert [it[2:] for it in re.sub(r"\n  ", " ", told).splitlines()] == undoes
    kinds = [it["type"] for it in story(load(game_id), 1) if it["version"] > starts and it["seat"] == 0]
    assert len(undoes) >= 3 and "cards-laid" in kinds and any("ada played" in it for it in undoes)
    own = Someone(app, "ada").get(f"/v1/games/{game_id}/take-backs").json
    assert len(own["undoes"]) > 0


def test_players_who_have_agreed_or_whose_vote_is_over_are_not_asked_about_a_take_back(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    vote(game_id, bea, "take-back", True)
    assert [len(asked(office, name)) for name in ("bea", "cyd")] == [0, 1]
    vote(game_id, ada, "take-back", False)
    take_back(game_id, ada, 1)
    later(2 * DAY)
    assert [len(asked(office, name)) for name in ("bea", "cyd")] == [0, 1]


def test_quoting_the_request_does_not_count_as_agreeing_to_a_take_back(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    (mail,) = asked(office, "bea")
    for text in (mail.text, f"Let me think.\n\n{mail.text}", mail.text.replace('"agree"', "\nagree\n")):
        arrives(mail.reply_to, a_mail(text, sender="bea@example.org"))
    deal_with_mails()
    assert votes_of(game_id)["take-back"]["consents"] == [0]


def test_a_player_is_notified_that_a_turn_is_over_only_if_an_email_had_announced_the_turn(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    moves_on(game_id, ada)
    take_back(game_id, ada, 1)
    assert office.mails("bea") == []
    moves_on(game_id, ada)
    (turn,) = office.mails("bea")
    take_back(game_id, ada, load(game_id).version - 1)
    assert "ada took back a move. Your turn is over." in office.mails("bea")[-1].text
    assert len(office.mails("bea")) == 2
    assert turn.reply_to != office.mails("bea")[-1].reply_to


def test_a_player_who_gets_a_turn_back_in_the_middle_hears_of_it(
    office: Office, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = game_of(ada, bea, cyd, rules="sternenglanz", options={"start_seat": 0})
    for who in (ada, bea, cyd):
        moves_on(game_id, who)  # choices of cards
    parts = []
    while turn_of(game_id, ada) is not None:
        parts.append(load(game_id).table.version)
        moves_on(game_id, ada)
    assert len(parts) > 1
    before = len(office.mails("ada"))
    take_back(game_id, ada, parts[-1])
    for who in (bea, cyd):
        vote(game_id, who, "take-back", True)
    (letter,) = office.mails("ada")[before:]
    assert letter.subject == "Your turn: Sternenglanz"
    assert "You took a move back" in letter.text


def test_a_link_to_a_turn_ended_by_a_take_back_says_so(app: Flask, game_id: UUID, ada: UUID, bea: UUID) -> None:
    moves_on(game_id, ada)
    link = f"/t/{turn_word(game_id, 1, 2)}"
    assert app.test_client().get(link).status_code == 200
    take_back(game_id, ada, 1)
    page = app.test_client().get(link)
    assert (page.status_code, "A move was taken back, and this turn with it." in page.text) == (410, True)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "I agree.",
            "yes",
            "Sure, fine with me",
            "ok!",
            "ok!\n\nBea",
            "sure, no problem",
            "Hi Ada,\n\nof course, no problem.\n\nCheers\nBea",
        ),
        *("ich stimme zu", "Klar, gerne!", "d’accord", "Va bene", "agree"),
        *("ok, but only this once :-)", "ok, but only this time", "Ja, aber nur dieses Mal!"),
    ],
)
def test_players_agree_in_their_own_words(office: Office, game_id: UUID, ada: UUID, bea: UUID, text: str) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    arrives(asked(office, "bea")[-1].reply_to, a_mail(text, sender="bea@example.org"))
    deal_with_mails()
    assert votes_of(game_id)["take-back"]["consents"] == [0, 1]


@pytest.mark.parametrize(
    "text", ["ok, but only this once if you explain", "yes? why?", "not sure", "no problem, if you tell me why"]
)
def test_an_unclear_reply_agrees_to_nothing_and_is_told_the_word(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, text: str
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    arrives(asked(office, "bea")[-1].reply_to, a_mail(text, sender="bea@example.org"))
    deal_with_mails()
    everything_due_happens()
    assert votes_of(game_id)["take-back"]["consents"] == [0]
    assert "  agree (agrees to what another player asks for)" in office.mails("bea")[-1].text


NOES = (
    *("no", "No.", "no, sorry - that was fun", "not now", "Nicht jetzt!", "nein, lieber nicht", "non merci"),
    *("Pas maintenant", "no, grazie", "Non ora.\n\nBea", "Hi Ada,\n\nno, sorry - that was fun.\n\nCheers\nBea"),
)


def test_a_no_to_a_take_back_is_acknowledged_and_told_to_the_asker_once(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    before = happened(game_id)
    letter = asked(office, "bea")[-1]
    assert 'If you don\'t agree, reply "no" or ignore this email.' in letter.text
    assert "or ignore this email." in letter.page
    for text in NOES:
        arrives(letter.reply_to, a_mail(text, sender="bea@example.org"))
        deal_with_mails()
        everything_due_happens()
        answer = office.mails("bea")[-1]
        assert "Not now, then: nothing changes, and the game goes on." in answer.text, text
        assert votes_of(game_id)["take-back"]["consents"] == [0] and happened(game_id) == before
    assert refusals_of(load(game_id))["take-back"] == [1]
    [told] = [mail for mail in office.mails("ada") if mail.subject.startswith("bea doesn't agree")]
    assert "Your request stays open, and you can withdraw it at the table." in told.text
    assert "The move will be taken back as soon as everyone agrees." in told.page


def test_a_no_to_a_pause_is_left_out_if_its_player_has_since_agreed(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    vote(game_id, ada, "pause", True)
    asked = {name: [it for it in office.mails(name) if "asks for a pause" in it.text] for name in ("bea", "cyd")}
    for who, text in (("bea", "Not now"), ("cyd", "no"), ("bea", "pause")):
        arrives(asked[who][0].reply_to, a_mail(text, sender=f"{who}@example.org"))
        deal_with_mails()
    told = [mail.subject for mail in office.mails("ada")]
    assert told[-1] == "cyd doesn't want to pause now: Sternenhimmel"
    assert not any("bea" in subject for subject in told)


def test_a_no_withdraws_an_earlier_yes_to_a_pause_or_take_back(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    for who in (ada, bea):
        moves_on(game_id, who)
    take_back(game_id, ada, 1)
    to_undo = asked(office, "bea")[-1].reply_to
    for text, agreed in (("yes", [0, 1]), ("no, sorry", [0])):
        arrives(to_undo, a_mail(text, sender="bea@example.org"))
        deal_with_mails()
        assert votes_of(game_id)["take-back"]["consents"] == agreed
    vote(game_id, ada, "take-back", False)
    vote(game_id, ada, "pause", True)
    letter = next(mail for mail in office.mails("bea") if "asks for a pause" in mail.text)
    assert 'If you don\'t agree, reply "no" or ignore this email.' in letter.text
    for text, agreed in (("pause", [0, 1]), ("not now", [0])):
        arrives(letter.reply_to, a_mail(text, sender="bea@example.org"))
        deal_with_mails()
        assert votes_of(game_id)["pause"] == agreed


def test_a_yes_to_a_pause_is_a_vote_for_it(office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID) -> None:
    moves_on(game_id, ada)
    vote(game_id, ada, "pause", True)
    everything_due_happens()
    for name in ("bea", "cyd"):
        letter = next(mail for mail in office.mails(name) if "asks for a pause" in mail.text)
        arrives(letter.reply_to, a_mail("Yes, fine with me.", sender=f"{name}@example.org"))
        deal_with_mails()
    assert load(game_id).table.status == "paused"
