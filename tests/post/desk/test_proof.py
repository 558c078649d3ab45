"""What a sender must prove: forged senders, limits, programs, and emails that arrive twice."""

from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from random import Random
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import Text, cast, func, select, update

from server.accounts.closing import SIGN_UPS, close
from server.accounts.players import change_profile, player_at, profile
from server.accounts.rate_limits import forget_old_counts
from server.clock import clock
from server.config import Bound
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.turns.idempotency import forget_old_answers
from server.play.votes import vote
from server.post.desk import games
from server.post.desk.addresses import Offered, asked_word, player_word, stranger_word
from server.post.desk.commands import BY_NAME
from server.post.desk.counter import forget_desk_mails
from server.post.desk.rule_texts import editions, options_of, rule_sections
from server.post.incoming import answering
from server.post.incoming.bounces import read_returned_mails
from server.store import desk, reviews
from server.store.tables import DeskGame, DeskMail, GameRow, Message, Player, PlayerLetterRow, RateLimit, db
from server.translations import language
from tests.post.desk import writing
from tests.post.desk.writing import DESK, DOMAIN, Correspondent, settle
from tests.post.incoming.replying import a_move
from tests.post.incoming.test_bounces import HARD, SOFT, complaint
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    OPEN,
    everything_due_happens,
    game_of,
    happened,
    later,
    moves_on,
    person,
    turn_of,
    wanted,
)

WRITING = (
    *("name Mallory", "new sternenhimmel", "play sternenhimmel", "find sternenglanz", "join any", "leave 1", "goodbye"),
    *("set zone Europe/Rome", "set mails off", "invite mallory@evil.example to 1", "vacation 2027-07-01..2027-07-02"),
    *("export", "archive 1", "show 1", "yes", "games", "help", "rules", "settings", "confirm 1234567890"),
)


def rows() -> dict[str, object]:
    """What a change would show in."""
    db.session.rollback()
    players = select(
        Player.email, Player.name, Player.zone, cast(Player.calendar, Text), cast(Player.notifications, Text)
    )
    return {
        "players": sorted(map(tuple, db.session.execute(players))),
        "games": sorted(db.session.scalars(select(GameRow.game_id))),
    }


def ann_joins(ann: Correspondent) -> UUID:
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    found = player_at(ann.email)
    assert found
    return found


def games_of_all() -> int:
    db.session.rollback()
    return len(db.session.scalars(select(GameRow.game_id)).all())


# Strangers


def test_a_stranger_gets_one_email_that_quotes_nothing_they_wrote(ann: Correspondent) -> None:
    text = "Buy watches at http://spam.example\nnew sternenhimmel 5"
    (hello,) = ann.sends(DESK, text, "Cheap watches", Message_ID="<cheap-watches@spam.example>")
    for word in ("watches", "Watches", "spam.example", "sternenhimmel 5"):
        assert word not in hello.raw.decode() + hello.text + hello.page
    assert hello.message["Auto-Submitted"] == "auto-replied"
    assert hello.message["In-Reply-To"] is None
    assert ann.sends(DESK, text) == []
    later(DAY)
    assert len(ann.sends(DESK, "Hello?")) == 1


def test_nothing_is_stored_about_an_address_that_never_replies(ann: Correspondent) -> None:
    ann.sends(DESK, "Hello from ann@example.net")
    db.session.rollback()
    assert player_at(ann.email) is None
    for table in (DeskMail, PlayerLetterRow, RateLimit, DeskGame, Player):
        stored = " ".join(
            map(str, db.session.execute(select(cast(func.to_jsonb(func.row(*table.__table__.columns)), Text))))
        )
        raw = db.session.scalars(select(DeskMail.raw)).all()
        assert "ann" not in stored
        assert "example.net" not in stored
        assert set(raw) == {b""}
    later(2 * DAY)
    forget_old_counts()
    assert not db.session.scalars(select(RateLimit.key).where(RateLimit.key.startswith("desk-letters"))).all()


@pytest.mark.parametrize(
    ("bound", "addresses", "letters"),
    [
        ("desk-letters-domain", [f"a{nr}@example.net" for nr in range(4)], 2),
        ("desk-letters-in-all", [f"ann@d{nr}.example" for nr in range(4)], 2),
        ("desk-letters", [f"ann+{nr}@example.net" for nr in range(4)], 2),
    ],
)
def test_emails_to_strangers_are_limited(
    app: Flask,
    monkeypatch: pytest.MonkeyPatch,
    mailbox: Callable[[str], Correspondent],
    bound: str,
    addresses: list[str],
    letters: int,
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], bound, Bound(2, 86_400))
    assert sum(len(mailbox(it).sends(DESK, "Hello")) for it in addresses) == letters


@pytest.mark.parametrize(
    ("results", "letters"),
    [
        (["mx.stars.example; spf=softfail; dkim=none; dmarc=fail (p=REJECT dkim=pass) header.from=example.net"], 0),
        (["mx.stars.example; spf=softfail; dkim=none; dmarc=fail (p=NONE dis=NONE) header.from=example.net"], 1),
        (['mx.stars.example 1; spf=fail smtp.mailfrom="x; dkim=pass"@example.net'], 0),
        (["mx.stars.example; spf=fail", "evil.example; dkim=pass; dmarc=pass"], 0),
        (["mx.stars.example; spf=fail; dkim=fail", "mx.stars.example; dkim=pass header.d=example.net"], 1),
        (["mx.stars.example; spf=fail; dmarc=pass"], 1),
        (["mx.stars.example; spf=pass", "evil.example; dmarc=fail"], 1),
        (["mx.stars.example; none"], 1),
    ],
)
def test_a_sender_that_fails_authentication_gets_no_reply(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ann: Correspondent, results: list[str], letters: int
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "desk-letters-domain", Bound(1, 86_400))
    added = "".join(f"Authentication-Results: {it}\r\n" for it in results).encode()
    ann.hands_over(DESK, added + ann.written(DESK, "Hello"))
    settle()
    assert len(ann.mails()) == letters
    later(DAY)
    assert len(ann.sends(DESK, "Hello")) == 1


def test_forged_emails_do_not_use_up_the_limit_of_a_domain(
    app: Flask, monkeypatch: pytest.MonkeyPatch, mailbox: Callable[[str], Correspondent], ann: Correspondent
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "desk-letters-domain", Bound(3, 86_400))
    for number in range(9):
        forged = mailbox(f"forged{number}@example.net")
        forged.hands_over(DESK, b"Authentication-Results: mx; dmarc=fail\r\n" + forged.written(DESK, "Hello"))
    assert len(ann.sends(DESK, "Hello")) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<list.example.net>"},
        {"X_Loop": "sternenpost"},
        {"From": "mailer-daemon@example.net"},
        {"From": f"post@{DOMAIN}"},
        {"From": "Ann <ann@example.net>, Bob <bob@example.net>"},
        {"Subject": "Out of office: Hello"},
    ],
)
def test_programs_bounces_and_mailing_lists_get_no_reply(
    office: Office, ann: Correspondent, headers: dict[str, str]
) -> None:
    assert ann.sends(DESK, "help", **headers) == []
    assert not office.mails_to(DESK)
    assert not office.mails_to("mailer-daemon@example.net")


def test_two_desks_do_not_reply_to_each_other(office: Office, ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    ann.hands_over(DESK, hello.raw)
    ann.hands_over(hello.reply_to, hello.raw)
    settle()
    assert ann.mails() == [hello]
    assert not office.mails_to("sternenpost@localhost")


def test_the_first_email_names_the_page_once(ann: Correspondent) -> None:
    (welcome,) = ann.sends(DESK, "Hello")
    assert welcome.text.count("http://") == welcome.page.count('href="http://') == 1


def test_the_words_of_a_first_email_outweigh_the_language_of_the_mail_program(ann: Correspondent) -> None:
    german = b"Content-Language: de-DE\r\n"
    ann.hands_over(DESK, german + ann.written(DESK, "Hello, how can I play with you?"))
    settle()
    to = ann.newest.reply_to
    ann.hands_over(to, german + ann.written(to, "name Ann"))
    settle()
    found = player_at(ann.email)
    assert found
    assert profile(found)["locale"] == "en"


def test_no_account_is_created_while_sign_ups_are_closed(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    close(SIGN_UPS)
    later(DAY)
    (answer,) = ann.sends(hello.reply_to, "name Ann")
    assert "We aren't accepting new players" in answer.text
    assert player_at(ann.email) is None


def test_after_a_spam_complaint_an_address_gets_no_other_first_email(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    assert hello.sender.endswith(f"@{DOMAIN}")
    ann.hands_over(hello.sender, HARD, envelope="")  # a bounce may be temporary
    read_returned_mails()
    later(DAY)
    (again,) = ann.sends(DESK, "Hello")
    ann.hands_over(again.sender, complaint(), envelope="")
    read_returned_mails()
    later(DAY)
    assert ann.sends(DESK, "Hello") == []
    assert ann_joins_by(ann, again.reply_to)


def test_a_bounced_reply_marks_the_account_unreachable_until_its_next_email(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    assert not profile(ann_id)["unreachable"]
    ann.hands_over(ann.newest.sender, SOFT, envelope="")
    read_returned_mails()
    assert not profile(ann_id)["unreachable"]
    ann.asks("games")
    ann.hands_over(ann.newest.sender, HARD, envelope="")
    read_returned_mails()
    assert profile(ann_id)["unreachable"]
    ann.asks("games")
    assert not profile(ann_id)["unreachable"]


# Players


def test_at_the_open_address_queries_are_answered_and_changes_need_a_yes(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    before = rows()
    (asked,) = ann.sends(DESK, "games\nset zone Europe/Rome\nplay sternenhimmel", "Secret subject")
    assert rows() == before
    assert "Secret" not in asked.subject
    assert "You have no games yet." in asked.text
    assert "Line 2: play sternenhimmel" in asked.text
    (done,) = ann.answers(asked.reply_to, "Yes.")
    assert "Game 1 Sternenhimmel has started" in done.text
    assert profile(ann_id)["zone"] == "Europe/Rome"
    (again,) = ann.answers(asked.reply_to, "yes")
    assert "There's nothing left to confirm." in again.text
    assert games_of_all() == 1


@pytest.mark.parametrize("is_proved", [True, False])
def test_a_description_that_cannot_be_read_is_refused_before_the_yes(ann: Correspondent, is_proved: bool) -> None:
    ann_joins(ann)
    line = "new sternenhimmel bob@example.org title=Sunday stars private=yes"
    to = ann.newest_answer.reply_to if is_proved else DESK
    (told,) = ann.answers(to, f"{line}?" if is_proved else line)
    text = " ".join(told.text.split())
    meant = 'new sternenhimmel bob@example.org title="Sunday stars" private=yes'
    assert f'A title of several words needs quotation marks. Did you mean "{meant}"?' in text
    assert "Please confirm" not in told.subject
    (done,) = ann.answers(told.reply_to, meant)
    assert "Game 1 “Sunday stars” (Sternenhimmel) is open." in done.text


def test_answering_no_discards_the_commands_to_be_confirmed(ann: Correspondent) -> None:
    ann_joins(ann)
    before = rows()
    (asked,) = ann.sends(DESK, "play sternenhimmel")
    ann.answers(asked.reply_to, "no")
    ann.answers(asked.reply_to, "yes")
    assert rows() == before


def test_a_reply_from_another_address_changes_nothing(
    mailbox: Callable[[str], Correspondent], ann: Correspondent
) -> None:
    mallory = mailbox("mallory@evil.example")
    (hello,) = ann.sends(DESK, "Hello")
    assert mallory.sends(hello.reply_to, "name Mallory") == []
    assert player_at(mallory.email) is None
    ann_id = ann_joins_by(ann, hello.reply_to)
    ann.sends(DESK, "goodbye")
    before = rows()
    for to in (
        ann.newest.reply_to,
        f"{player_word(ann_id, ann.email)}@{DOMAIN}",
        f"{stranger_word(ann.email, Offered('en'))}@{DOMAIN}",
    ):
        for text in ("yes", "goodbye", "play sternenhimmel"):
            assert mallory.sends(to, text) == []
    assert rows() == before


def test_replies_to_emails_sent_before_an_address_change_need_confirmation(
    mailbox: Callable[[str], Correspondent], ann: Correspondent
) -> None:
    """Who reads the old mailbox can forge the new sender."""
    ann_id, old = ann_joins(ann), ann.newest.reply_to
    (asked,) = ann.answers(old, "goodbye")
    db.session.execute(update(Player).where(Player.player_id == ann_id).values(email="ann@new.example"))
    db.session.commit()
    new, before = mailbox("ann@new.example"), rows()
    (unproved,) = new.sends(old, "play sternenhimmel")
    assert "Please confirm that you wrote this" in unproved.text
    new.sends(asked.reply_to, "yes")
    assert rows() == before
    assert profile(ann_id)["name"] == "Ann"


def test_our_reply_to_an_unauthenticated_email_does_not_quote_links(ann: Correspondent) -> None:
    ann_joins(ann)
    text = "set name Locked, see https://evil.example/x\nYour account is locked\nrules www.evil.example\ngames"
    (answer,) = ann.sends(DESK, text)
    for word in ("evil", "locked", "Locked"):
        assert word not in answer.text + answer.page + answer.subject
    assert "You have no games yet." in answer.text


def test_the_email_after_a_deletion_has_no_reply_address(ann: Correspondent) -> None:
    ann_joins(ann)
    (asked,) = ann.answers(ann.newest.reply_to, "goodbye")
    (last,) = ann.answers(asked.reply_to, "yes")
    assert player_at(ann.email) is None
    assert last.message["Reply-To"] is None
    assert ann.sends(DESK, "goodbye") == []  # a late copy, perhaps
    later(DAY)
    assert len(ann.sends(DESK, "Hello")) == 1


@pytest.mark.parametrize(
    ("hello", "text", "told"),
    [
        ("Hello", "unsubscribe", "on none of our mailing lists"),
        ("Hello", "Hi,\n\nPlease stop.\n\nAnn\n\nSent from my iPhone", "on none of our mailing lists"),
        ("Hallo, ich möchte spielen", "abmelden", "auf keiner unserer Listen"),
        ("Hallo, ich möchte spielen", "Stopp!", "auf keiner unserer Listen"),
        ("Bonjour, je voudrais jouer", "désabonner", "sur aucune de nos listes"),
        ("Buongiorno, vorrei giocare", "disiscrivimi", "in nessuna delle nostre liste"),
        ("Buongiorno, vorrei giocare", "stop", "in nessuna delle nostre liste"),
    ],
)
def test_a_stranger_who_unsubscribes_gets_no_account(ann: Correspondent, hello: str, text: str, told: str) -> None:
    (first,) = ann.sends(DESK, hello)
    (answer,) = ann.sends(first.reply_to, text)
    assert told in " ".join(answer.text.split()) and told in " ".join(answer.page.split())
    assert "sternenhimmel" not in answer.text
    assert player_at(ann.email) is None
    ann.answers(answer.reply_to, "name Ann")
    assert player_at(ann.email) is not None


@pytest.mark.parametrize(("text", "subject"), [("unsubscribe", ""), ("", "Unsubscribe"), ("Bitte abmelden", "")])
def test_a_first_email_that_only_unsubscribes_is_answered_in_short(ann: Correspondent, text: str, subject: str) -> None:
    (answer,) = ann.sends(DESK, text, subject)
    assert "sternenhimmel" not in answer.text and len(answer.text.split()) < 60
    assert player_at(ann.email) is None


def ann_joins_by(ann: Correspondent, to: str) -> UUID:
    ann.answers(to, "name Ann")
    found = player_at(ann.email)
    assert found
    return found


def test_the_commands_in_an_email_that_arrives_twice_run_once(ann: Correspondent) -> None:
    ann_joins(ann)
    to = ann.newest.reply_to
    raw = ann.written(to, "play sternenhimmel\nnew sternenglanz 2")
    for _ in range(2):
        ann.hands_over(to, raw)
        settle()
    assert games_of_all() == 2


def test_a_reply_without_text_does_not_run_the_command_in_our_subject_again(ann: Correspondent) -> None:
    """Programs take over the subject of our letter. A person may replace it, after the program's `Re:`."""
    ann_joins(ann)

    def replies(subject: str, **headers: str) -> Mail:
        letter = ann.newest_answer
        answered = {"In_Reply_To": str(letter.message["Message-ID"])}
        (answer,) = ann.answers(letter.reply_to, "", subject, **(answered | headers))
        return answer

    assert "has started" in replies("play sternenglanz").text
    assert ann.newest_answer.subject == "Re: play sternenglanz"
    for subject in ("Re: play sternenglanz", "AW: Re:  Play Sternenglanz"):
        assert "We found no command in your email" in replies(subject).text
    assert games_of_all() == 1
    assert "has started" in replies("Re: play sternenhimmel").text
    assert games_of_all() == 2
    assert "Are you sure?" in replies("Re: play sternenhimmel", In_Reply_To="<own@example.net>").text
    assert games_of_all() == 2
    (asked,) = ann.answers(ann.newest_answer.reply_to, "goodbye", "yes")
    assert asked.subject == "Re: yes"
    replies("Re: yes")
    assert player_at(ann.email)


@pytest.mark.parametrize(
    "line", ["leave 1?", "leave 1, please?", "cancel find?", "set zone Europe/Rome?", "play sternenglanz?"]
)
def test_a_change_with_a_question_mark_is_confirmed_first(ann: Correspondent, line: str) -> None:
    ann_id = ann_joins(ann)
    ann.asks("find sternenhimmel 3")
    before, zone = games_of_all(), profile(ann_id)["zone"]
    asked = ann.asks(line)
    assert "ends with a question mark" in asked.text
    assert (games_of_all(), profile(ann_id)["zone"]) == (before, zone)
    done = ann.asks("yes")
    assert "Are you sure?" not in done.text
    assert "You wrote: " in done.text or (games_of_all(), profile(ann_id)["zone"]) != (before, zone)


def test_a_yes_with_second_thoughts_is_asked_for_again(ann: Correspondent) -> None:
    ann_joins(ann)
    (first,) = ann.answers(ann.newest_answer.reply_to, "goodbye")
    (again,) = ann.answers(first.reply_to, "yes\n\nI am still thinking")
    assert "Are you sure?" in again.text
    assert player_at(ann.email)
    assert "nothing left to confirm" in ann.answers(first.reply_to, "yes")[0].text
    ann.answers(again.reply_to, "yes")
    assert player_at(ann.email) is None


@pytest.mark.parametrize("line", ["goodbye", "leave 1"])
def test_a_final_command_from_an_unproved_sender_must_be_confirmed_twice(ann: Correspondent, line: str) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel")
    (asked,) = ann.sends(DESK, line)
    assert f"Line 1: {line}\n" in asked.text
    (again,) = ann.answers(asked.reply_to, "yes")
    told = "You can't undo this." if line == "goodbye" else "You'd resign from game 1"
    assert told in " ".join(again.text.split())
    assert player_at(ann.email)
    assert "nothing left to confirm" in ann.answers(asked.reply_to, "yes")[0].text
    (done,) = ann.answers(again.reply_to, "yes")
    assert ("Your account is deleted." if line == "goodbye" else "You've resigned") in done.text


@pytest.mark.parametrize("line", ["goodbye", "leave 1"])
def test_a_yes_to_a_final_command_is_asked_for_again_if_other_text_follows(ann: Correspondent, line: str) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel")
    ann.asks(line)
    again = ann.asks("yes\n\nI was only curious what happens.")
    assert "Are you sure?" in again.text
    assert player_at(ann.email)
    done = ann.asks("yes\n\nAnn\n\nSent from my iPhone")
    assert ("Your account is deleted." if line == "goodbye" else "You've resigned") in done.text


def test_a_change_that_another_line_contradicts_is_confirmed_first(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    asked = ann.asks("Please don't do this yet:\n\nset zone Europe/Rome\ngames")
    assert "questions or contradicts" in asked.text
    assert "You have no games yet." in asked.text
    assert profile(ann_id)["zone"] == "UTC"
    ann.asks("yes")
    assert profile(ann_id)["zone"] == "Europe/Rome"


def test_a_copy_of_the_first_reply_does_not_bring_back_a_deleted_account(ann: Correspondent) -> None:
    (hello,) = ann.sends(DESK, "Hello")
    raw = ann.written(hello.reply_to, "name is Ann", Date=format_datetime(clock.now()))
    ann.hands_over(hello.reply_to, raw)
    settle()
    ann_id = player_at(ann.email)
    assert ann_id and profile(ann_id)["name"] == "Ann"
    ann.asks("goodbye")
    ann.asks("yes")
    assert not db.session.scalars(select(DeskMail.mail_id).where(DeskMail.player_id == ann_id)).all()
    for _ in range(2):
        ann.hands_over(hello.reply_to, raw)
        settle()
        assert player_at(ann.email) is None
        later(8 * DAY)
        forget_desk_mails()
    assert ann.newest.subject == hello.subject
    ann.answers(ann.newest.reply_to, "name Ann", Date=format_datetime(clock.now()))
    assert player_at(ann.email)


def test_a_late_copy_of_a_processed_email_must_be_confirmed(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    to = ann.newest_answer.reply_to
    raw = ann.written(to, "set zone Europe/Rome\ngames", Date=format_datetime(clock.now()))
    ann.hands_over(to, raw)
    settle()
    assert profile(ann_id)["zone"] == "Europe/Rome"
    ann.asks("set zone Europe/Paris")
    later(8 * DAY)
    forget_desk_mails()
    forget_old_answers(timedelta(days=1))
    ann.hands_over(to, raw)
    settle()
    assert profile(ann_id)["zone"] == "Europe/Paris"
    assert "may be an old copy" in ann.newest_answer.text
    assert "You have no games yet." in ann.newest_answer.text
    ann.answers(ann.newest_answer.reply_to, "yes", Date="Mon, 01 Jan 2001 00:00:00 +0000")  # a wrong clock
    assert profile(ann_id)["zone"] == "Europe/Rome"


def test_our_reply_has_at_most_one_attachment_and_answers_repeated_queries_once(ann: Correspondent) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel")
    answer = ann.asks("export\n" * 5 + "archive 1\narchive 1")
    assert len(list(answer.message.iter_attachments())) == 1
    assert answer.text.count("You wrote: export") == 1
    assert "An email can have only one attachment." in answer.text


def test_no_data_is_exported_for_a_reply_that_exceeds_the_limit(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ann: Correspondent
) -> None:
    ann_id = ann_joins(ann)
    exported = []

    def export(player_id: UUID) -> object:
        exported.append(player_id)
        return {}

    monkeypatch.setattr(writing, "RECORDS", writing.RECORDS._replace(export=export))
    to = ann.newest_answer.reply_to
    assert len(ann.answers(to, "export")) == 1
    monkeypatch.setitem(app.config["BOUNDS"], "answers-daily", Bound(1, 86_400))
    monkeypatch.setitem(app.config["BOUNDS"], "desk-answers", Bound(1, 3600))
    assert len(ann.answers(to, "help")) == 1
    assert ann.answers(to, "export\nset zone Europe/Rome") == []
    assert len(exported) == 1
    assert profile(ann_id)["zone"] == "Europe/Rome"


def test_an_email_to_several_of_our_addresses_takes_effect_once(ann: Correspondent) -> None:
    """Whether they are all signed, or one is the open address or that of a game's letter."""
    ann_id = ann_joins(ann)
    first = ann.newest.reply_to
    ann.asks("set mails at-once\nplay sternenhimmel start_seat=0")
    turn = next(it for it in ann.mails() if it.message["Auto-Submitted"] == "auto-generated")
    (asked,) = ann.answers(first, "goodbye")
    new = "new sternenglanz 2"
    for addresses in ([first, asked.reply_to], [turn.reply_to, first], [first, DESK], [DESK, first]):
        before = games_of_all()
        raw, known = ann.written(first, new), len(ann.mails())
        ann.hands_over(addresses[0], raw)
        ann.hands_over(addresses[1], raw)
        settle()
        assert len(ann.mails()) == known + 1
        if games_of_all() == before:  # the copy to the open address came first
            ann.answers(ann.newest.reply_to, "yes")
        assert games_of_all() == before + 1
    assert player_at(ann.email) == ann_id


def test_one_yes_to_two_emails_confirms_both(ann: Correspondent) -> None:
    ann_joins(ann)
    asked = ann.newest.reply_to
    letters = []
    for text in ("set zone Europe/Rome", "set language it"):
        later(DAY)
        letters += ann.answers(DESK, text)
    raw = ann.written(asked, "yes\ngames")
    for it in letters:
        ann.hands_over(it.reply_to, raw)
    settle()
    known = profile(player_at(ann.email))  # type: ignore[arg-type]  # Ann has an account
    assert (known["zone"], known["locale"]) == ("Europe/Rome", "it")


def test_no_command_is_repeated_after_a_worker_dies(ann: Correspondent, monkeypatch: pytest.MonkeyPatch) -> None:

    ann_joins(ann)
    finish, deaths = desk.finish, []

    def die_first(*args: object) -> None:
        if not deaths:
            deaths.append(args)
            raise RuntimeError("killed")
        finish(*args)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(desk, "finish", die_first)
    text = "play sternenhimmel\nnew sternenhimmel 3\ninvite bob@example.org to 2\nfind sternenglanz 2\nleave 3\nset name Anna"
    assert ann.answers(ann.newest.reply_to, text) == []
    later(HOUR)
    settle()
    assert deaths
    assert "You've left game 3" in ann.newest.text
    assert games_of_all() == 3


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_goodbye_email_is_sent_even_if_the_worker_dies_while_deleting_the_account(
    ann: Correspondent, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    ann_id = ann_joins(ann)
    (asked,) = ann.answers(ann.newest.reply_to, "goodbye")
    records = writing.RECORDS

    def die(player_id: UUID) -> None:
        if when == "after":
            records.delete(player_id)
        raise RuntimeError("killed")

    monkeypatch.setattr(writing, "RECORDS", records._replace(delete=die))
    assert ann.answers(asked.reply_to, "yes") == []
    monkeypatch.setattr(writing, "RECORDS", records)
    later(HOUR)
    settle()
    assert "Your account is deleted." in ann.newest.text
    assert player_at(ann.email) is None
    assert db.session.get_one(Player, ann_id).deleted_at
    assert not db.session.scalars(select(DeskMail.mail_id).where(DeskMail.due_at.is_not(None))).all()


def test_the_numbers_of_a_players_games_never_change(ann: Correspondent) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel\nnew sternenhimmel title=Second\nnew sternenglanz title=Third")
    ann.asks("leave 2")
    text = ann.asks("new sternenhimmel title=Fourth\ngames").text
    assert "1 Sternenhimmel with " in text
    assert "3 “Third”" in text
    assert "4 “Fourth”" in text


@pytest.mark.parametrize("number", ["1", "#1", "game 1", "no. 1"])
def test_standings_take_the_number_of_a_game_in_any_form(ann: Correspondent, number: str) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel")
    told = ann.asks(f"standings {number}").text
    assert "The scores in game 1" in told
    assert "- You: 0" in told and "Ann: " not in told


def test_find_joins_a_game_that_matches_the_search(mailbox: Callable[[str], Correspondent], ann: Correspondent) -> None:
    ben = mailbox("ben@example.org")
    for who in (ann, ben):
        (hello,) = who.sends(DESK, "Hello")
        who.answers(hello.reply_to, "Hello")
    assert "opened game 1 Sternenglanz" in ann.asks("find sternenglanz 2 3 days per move").text
    assert "opened game 1 Sternenglanz" in ben.asks("find sternenglanz 2 1 day per move").text
    assert "The game has started." in ben.asks("find sternenglanz 2 3 days per move").text


def test_a_search_compares_lengths_of_time_and_looks_at_every_open_game(
    monkeypatch: pytest.MonkeyPatch, ann: Correspondent
) -> None:
    monkeypatch.setattr(games, "_PAGE", 2)
    ann_joins(ann)
    host = person("host")
    oldest, *_ = [
        open_game(host, wanted(ME, OPEN, BOT, clock={"per_move": clock})) for clock in ("P2D", "P7D", "P3D", "P3D")
    ]
    assert "You have a seat in game 1" in ann.asks("find sternenhimmel 48h").text
    assert load(oldest.game_id).table.status == "running"
    assert "You have a seat in game 2" in ann.asks("find sternenhimmel 1 week").text
    assert "You have a seat in game 3" in ann.asks("join any").text


def test_the_list_of_games_has_every_game_that_is_not_over(monkeypatch: pytest.MonkeyPatch, ann: Correspondent) -> None:
    monkeypatch.setattr(games, "_PAGE", 1)
    monkeypatch.setattr(games, "_MOST_OWN", 1)
    ann_joins(ann)
    ann.asks("play sternenglanz\nfind sternenglanz 2\nplay sternenhimmel\nplay sternenhimmel")
    listed = ann.asks("games").text
    for line in (
        "1 Sternenglanz with ",
        "2 Sternenglanz: not started",
        "3 Sternenhimmel with ",
        "4 Sternenhimmel with ",
    ):
        assert line in listed


def test_the_list_of_games_names_the_other_players_and_whose_turn_it_is(office: Office, ada: UUID, bea: UUID) -> None:
    game_of(ada, bea, bots=1, title="Sternenhimmel (2)", options={"start_seat": 1})
    arrives(DESK, a_mail("games"))
    settle()
    told = " ".join(office.mails("ada")[-1].text.split())
    assert "- 1 “Sternenhimmel (2)” with bea and Greedy: waiting for bea." in told


def test_a_confirmed_command_opens_its_own_game(ann: Correspondent) -> None:
    ann_joins(ann)
    assert "play sternenglanz" in ann.asks("play sternenhimmel\nplay sternenglanz?").text
    assert "Game 2 Sternenglanz has started" in ann.asks("yes").text
    ann.asks("find sternenhimmel 3\nfind sternenglanz 2?")
    assert "opened game 4 Sternenglanz" in ann.asks("yes").text


def test_replies_to_a_player_are_limited(app: Flask, monkeypatch: pytest.MonkeyPatch, ann: Correspondent) -> None:
    ann_joins(ann)
    monkeypatch.setitem(app.config["BOUNDS"], "desk-answers", Bound(3, 3600))
    to = ann.newest.reply_to
    answers = [len(ann.answers(to, "help")) for _ in range(5)]
    assert sum(answers) <= 4
    assert answers[-1] == 0
    assert "this is the last one for now" in ann.newest.text


def test_a_program_that_replies_to_every_email_is_soon_no_longer_answered(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ann: Correspondent
) -> None:
    ann_joins(ann)
    monkeypatch.setitem(app.config["BOUNDS"], "desk-unclear", Bound(2, 86_400))
    to, away = ann.newest.reply_to, "Ticket {}: I have left the company, and nobody could read your message."
    assert [len(ann.answers(to, away.format(number))) for number in range(4)] == [1, 1, 0, 0]
    assert "this is the last one for now" in ann.newest.text
    assert len(ann.answers(to, "games")) == 1


def test_each_new_line_is_answered_up_to_a_daily_bound(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ann: Correspondent
) -> None:
    ann_joins(ann)
    to = ann.newest.reply_to
    for name, most in (("desk-unclear", 1), ("desk-answers", 2), ("answers-daily", 14)):
        monkeypatch.setitem(app.config["BOUNDS"], name, Bound(most, 86_400))
    lines = [f"{word} {nr}" for nr in range(1, 4) for word in ("shwo", "histroy", "reveiw", "show", "satndings")]
    assert [len(ann.answers(to, line)) for line in lines[:12]] == [1] * 12
    assert sum(len(ann.answers(to, line)) for line in lines[12:] * 3) <= 5


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("Open hours: Monday to Friday\nTicket {} is open.", 3),
        ("Help desk: your ticket is {}.", 3),
        ("Games", 3 + 10),  # a person may ask more often
    ],
)
def test_an_endless_exchange_with_a_program_ends_by_itself(ann: Correspondent, text: str, most: int) -> None:
    ann_joins(ann)
    answered = 0
    for number in range(20):
        if not ann.answers(ann.newest.reply_to, text.format(number)):
            break
        answered += 1
    assert answered == most


def test_two_desks_stop_exchanging_emails_even_if_a_gateway_drops_headers(ann: Correspondent) -> None:
    """A gateway may drop the headers that say that a program wrote an email."""
    ann_joins(ann)
    answered = 0
    for number in range(20):
        letter = ann.newest
        if not ann.answers(letter.reply_to, letter.text, letter.subject, In_Reply_To=letter.message["Message-ID"]):
            break
        answered += 1
    assert answered <= 4


def test_desk_commands_work_in_replies_to_game_emails(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    turn = office.mails("ada")[-1]
    arrives(turn.reply_to, a_mail("games\nset zone Europe/Rome"))
    settle()
    answer = office.mails("ada")[-1]
    assert "it's your turn" in answer.text
    assert profile(ada)["zone"] == "Europe/Rome"
    arrives(turn.reply_to, a_mail("games\nset zone Europe/Paris", sender="mallory@evil.example"))
    settle()
    assert profile(ada)["zone"] == "Europe/Rome"
    arrives(turn.reply_to, a_mail(a_move(game_id, ada)))
    settle()
    assert "star-placed" in happened(game_id)


@pytest.mark.parametrize(("rules", "edition", "other"), [("sternenhimmel", "grignou-fr", "schloth-en")])
def test_rules_and_help_in_a_reply_to_a_game_email_are_about_this_game(
    office: Office, ada: UUID, bea: UUID, rules: str, edition: str, other: str
) -> None:
    game_of(ada, bea, bots=1, options={"edition": edition, "start_seat": 0})
    turn = office.mails("ada")[-1]

    def told(text: str, to: str = turn.reply_to) -> str:
        arrives(to, a_mail(text))
        settle()
        return " ".join(office.mails("ada")[-1].text.split())

    def lines_of(edition: str) -> set[str]:
        return {line for it in rule_sections(rules, "en", options_of(rules, edition)) for line in it.lines}

    answer = told("Rules, please!")
    assert "The rules of game 1 Sternenhimmel: Grignou." in answer
    assert [line for line in lines_of(edition) if " ".join(line.split()) not in answer] == []
    assert [line for line in lines_of(other) - lines_of(edition) if " ".join(line.split()) in answer] == []
    assert not any(f"{name}:" in answer for name in editions(rules, "en").values()) and "Sternenglanz" not in answer
    assert told("rules 1", office.mails("ada")[-1].reply_to).count("HOW TO WRITE A MOVE") == 1
    default = told(f"rules {rules}")
    assert "Schloth. There are also: Goldsieber, Sargon, Grignou." in default
    assert [line for line in lines_of(other) if " ".join(line.split()) not in default] == []
    assert "Sargon and Grignou:" in told(f"rules {rules} all")
    assert "We don't know this edition." in told(f"rules {rules} unheard", office.mails("ada")[-1].reply_to)
    helped = told("help")
    assert "In a reply to an email about game 1" in helped
    assert "hands your seat to a bot" in helped and "Deletes your account" in helped


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("history", "- bea put a "),
        ("Standings, please", "- You: 0\n- bea: 0"),
        ("show", "Game 1 Sternenhimmel, move 3."),
        ("review", "This game isn't over yet."),
    ],
)
def test_in_a_reply_to_an_email_about_a_game_its_commands_need_no_number(
    office: Office, ada: UUID, bea: UUID, words: str, told: str
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 1})
    moves_on(game_id, bea)
    everything_due_happens()
    arrives(office.mails("ada")[-1].reply_to, a_mail(words))
    settle()
    answer = office.mails("ada")[-1]
    assert told in answer.text
    arrives(answer.reply_to, a_mail(a_move(game_id, ada)))
    settle()
    assert happened(game_id).count("star-placed") == 3


def test_the_email_about_the_end_names_the_word_for_a_review(office: Office, ada: UUID) -> None:
    game_id = game_of(ada, bots=2)
    while load(game_id).table.status == "running":
        moves_on(game_id, ada)
        everything_due_happens()
    ended = office.mails("ada")[-1]
    assert 'Reply "review", and a bot compares your moves with its own.' in ended.text
    arrives(ended.reply_to, a_mail("Review, please!"))
    settle()
    assert "A bot is reviewing your moves in Sternenhimmel." in office.mails("ada")[-1].text
    assert reviews.find(game_id, 0) is not None


def test_a_reply_about_the_end_opens_a_rematch_and_the_others_join_it(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, rules="sternenglanz", title="Tuesday stars", options={"max_rounds": 1})
    while load(game_id).table.status == "running":
        moves_on(game_id, next(who for who in (ada, bea) if turn_of(game_id, who) is not None))
        everything_due_happens()
    ends = {name: office.mails(name)[-1] for name in ("ada", "bea")}
    for name, ended in ends.items():
        assert 'Reply "rematch" to play again with the same players.' in ended.text
        arrives(ended.reply_to, a_mail("That was fun!", sender=f"{name}@example.org"))
        settle()
        thanked = " ".join(" ".join(mail.text for mail in office.mails(name)[-2:]).split())
        again = 'Reply "rematch" to play again' if name == "ada" else 'A rematch is open. Reply "rematch" to join it.'
        assert f"The game is over. {again}" in thanked and "that didn't work" not in thanked
        assert 'To start a new game against bots, reply "play sternenglanz".' in thanked
        arrives(ended.reply_to, a_mail("rematch\nsay Again! I liked that.", sender=f"{name}@example.org"))
        settle()
        assert (
            db.session.scalars(db.select(Message.text).where(Message.game_id == game_id)).all()[-1]
            == "Again! I liked that."
        )
    told = next(" ".join(mail.text.split()) for mail in office.mails("ada") if "You have a seat in game 2" in mail.text)
    invited = "We've invited the other players of game 1 “Tuesday stars” (Sternenglanz)."
    assert f"{invited} The game starts when all seats are taken. We'll email you when it's your turn." in told
    assert "ada suggests a rematch: Tuesday stars (2) (Sternenglanz)" in office.subjects("bea")
    [again] = [it for it in office.mails("bea") if "suggests a rematch" in it.subject]
    assert "If you don't know" not in again.text + again.page
    assert office.mails("bea")[-1].text.count("The game has started.") == 1
    first = next(
        mail.text for mail in office.mails("ada")[::-1] if "bea accepted: your rematch has begun." in mail.text
    )
    assert 'Reply with a line such as "choose ' in " ".join(first.split())
    assert not any("accepted: your rematch" in mail.text for mail in office.mails("bea"))
    arrives(ends["bea"].reply_to, a_mail("I'd like that\npause\nand more", sender="bea@example.org"))
    settle()
    assert "This line is right next to a command" in office.mails("bea")[-1].text
    assert "turn email" not in office.mails("bea")[-1].text


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Why did I lose? I'd like a rematch.", "en"),
        ("Warum habe ich verloren? Ich hätte gern eine Revanche.", "de"),
        ("Pourquoi ai-je perdu ? J'aimerais bien une revanche.", "fr"),
        ("Perché ho perso? Vorrei una rivincita.", "it"),
    ],
)
def test_a_wish_for_a_rematch_beside_a_question_is_answered_too(
    office: Office, ada: UUID, text: str, locale: str
) -> None:
    change_profile(ada, {"locale": locale})
    game_id = game_of(ada, bots=1, rules="sternenglanz", options={"max_rounds": 1})
    while load(game_id).table.status == "running":
        moves_on(game_id, ada)
        everything_due_happens()
    ended = office.mails("ada")[-1]
    arrives(ended.reply_to, a_mail(text))
    settle()
    told = " ".join(office.mails("ada")[-1].text.split())
    say, rematch, review = language(locale), *(BY_NAME[it].word(locale) for it in ("rematch", "review"))
    again = say.gettext('Reply "%(rematch)s" to play again with the same players.', rematch=rematch)
    assert " ".join(again.split()) in told
    assert review in told
    arrives(office.mails("ada")[-1].reply_to, a_mail(rematch))
    settle()
    assert len(desk.numbers(ada)) == 2


def test_a_second_rematch_names_the_one_that_stands(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, title="Tuesday stars")
    for who in (ada, bea):
        vote(game_id, who, "abandon", True)
    arrives(office.mails("ada")[-1].reply_to, a_mail("games"))
    settle()
    for line in ("rematch", "rematch 1", "Rematch, please!"):  # at the post desk, a game needs no number
        arrives(office.mails("ada")[-1].reply_to, a_mail(line))
        settle()
        told = " ".join(office.mails("ada")[-1].text.split())
        assert ("We've invited the other players" in told) == (line == "rematch")
        if line != "rematch":
            assert "The rematch of game 1 “Tuesday stars” (Sternenhimmel) is game 2 “Tuesday stars (2)”" in told
            assert "The game starts when all seats are taken." in told
    arrives(office.mails("ada")[0].reply_to, a_mail("That was fun!"))
    settle()
    told = " ".join(office.mails("ada")[-1].text.split())
    assert "The game is over. Your rematch is game 2." in told and "rematch”" not in told


def test_the_answer_to_a_yes_quotes_the_command_in_the_readers_language(ann: Correspondent) -> None:
    ann_joins(ann)
    ann.asks("set language de")
    assert "abschied" in ann.asks("abschied").text
    told = ann.asks("ja").text
    assert "Du hast geschrieben: abschied" in told and "goodbye" not in told


@pytest.mark.parametrize("first", ["", "Let's play again!", "Nochmal?"])
@pytest.mark.parametrize("yes", ["Yes!", "Ja, gerne"])
def test_a_yes_to_the_email_about_the_end_or_to_our_answer_opens_a_rematch(
    office: Office, ada: UUID, yes: str, first: str
) -> None:
    game_id = game_of(ada, bots=1, rules="sternenglanz", options={"max_rounds": 1})
    while load(game_id).table.status == "running":
        moves_on(game_id, ada)
        everything_due_happens()
    for text in filter(None, (first, yes)):
        newest = office.mails("ada")[-1]
        arrives(newest.reply_to, a_mail(text, **{"In-Reply-To": str(newest.message["Message-ID"])}))
        settle()
    db.session.rollback()
    assert len(db.session.scalars(db.select(GameRow.game_id)).all()) == 2


@pytest.mark.parametrize(
    ("text", "headline", "written"),
    [
        ("Rules, please!", "The rules", ["Rules"]),
        ("help", "Reply", ["help"]),
        ("help\ngames", "Reply", ["help", "games"]),
        ("Games!", "Reply", ["Games"]),
    ],
)
def test_the_answer_to_desk_commands_quotes_them_once_and_takes_a_move_if_they_are_about_the_game(
    office: Office, ada: UUID, bea: UUID, text: str, headline: str, written: list[str]
) -> None:
    game_id = game_of(ada, bea, bots=1, title="Tuesday stars", options={"start_seat": 0})
    turn = office.mails("ada")[-1]
    arrives(turn.reply_to, a_mail(text, Subject="Re: Please check: Tuesday stars"))
    settle()
    answer = office.mails("ada")[-1]
    assert answer.subject == f"{headline}: Tuesday stars"
    quoted = [line for line in answer.text.splitlines() if "You wrote:" in line]
    assert quoted == [f"You wrote: {line}" for line in written]
    if written == ["Games"]:
        assert answer.text.startswith("##- Reply above this line: a command")
        return
    assert answer.text.startswith("##- Reply above this line: a move, or ? for help")
    assert "Reply to this email with your move" in answer.text
    assert answer.reply_to == turn.reply_to
    arrives(answer.reply_to, a_mail(a_move(game_id, ada)))
    settle()
    assert "star-placed" in happened(game_id)


def test_changes_sent_to_a_reply_address_that_a_former_player_knows_need_a_yes(
    office: Office, monkeypatch: pytest.MonkeyPatch, ada: UUID, bea: UUID
) -> None:
    """A former player of the seat knows its old address, and may forge the sender."""
    game_of(ada, bea, bots=1)
    turn = office.mails("ada")[-1]
    monkeypatch.setattr(answering, "last_change_of_hands", lambda log, seat: 1000)
    arrives(turn.reply_to, a_mail("set zone Europe/Rome"))
    settle()
    assert profile(ada)["zone"] == "UTC"
    assert "Line 1: set zone Europe/Rome" in office.mails("ada")[-1].text


# Forged senders

FORGED = {"Authentication_Results": "mx.stars.example; spf=softfail; dkim=none; dmarc=fail header.from=example.net"}
VOUCHED = {"Authentication_Results": "mx.stars.example; dkim=pass header.d=example.net; dmarc=pass"}


def test_a_forged_email_to_a_signed_address_changes_nothing(
    mailbox: Callable[[str], Correspondent], ann: Correspondent
) -> None:
    """A letter may have been forwarded, with its address."""
    ann_id = ann_joins(ann)
    own = ann.newest.reply_to
    ann.asks("play sternenhimmel")
    (asked,) = ann.answers(own, "goodbye")
    before, letters = rows(), len(ann.mails())
    for to, text in ((own, "set zone Europe/Rome"), (asked.reply_to, "yes"), (own, "export"), (own, "games")):
        ann.sends(to, text, **FORGED)
    assert rows() == before
    assert len(ann.mails()) == letters + 1
    assert "We didn't act on it." in " ".join(ann.newest_answer.text.split())
    assert "Rome" not in ann.newest_answer.text
    assert player_at(ann.email) == ann_id
    (hello,) = (bob := mailbox("bob@example.net")).sends(DESK, "Hello")
    assert bob.sends(hello.reply_to, "name Mallory", **FORGED) == []
    assert player_at(bob.email) is None
    forwarded = {"Authentication_Results": "mx.stars.example; spf=fail; dkim=pass header.d=example.net"}
    ann.answers(own, "set zone Europe/Rome", **forwarded)
    assert profile(ann_id)["zone"] == "Europe/Rome"


def test_an_unauthenticated_email_does_not_use_up_the_owners_reply(
    app: Flask, monkeypatch: pytest.MonkeyPatch, ann: Correspondent
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "desk-letters-further", Bound(1, 86_400))
    ann_joins(ann)
    for headers in ({}, VOUCHED):  # anybody may have written the first ones
        assert len(ann.sends(DESK, "games", **headers)) == 1
        assert len(ann.sends(DESK, "games", **headers)) == 1
        assert ann.sends(DESK, "games", **headers) == []


@pytest.mark.parametrize(
    "line",
    [
        "nwe sternenhimmel title=Pay your bill at http://evil.example/x",
        "How much does it cost? See http://evil.example/x",
        "nwe sternenhimmel title=Call 0900 123456 to pay your bill",
    ],
)
def test_an_answer_to_the_public_address_repeats_nothing_that_anyone_may_have_written(
    ann: Correspondent, line: str
) -> None:
    player_id = ann_joins(ann)
    (answer,) = ann.sends(DESK, line)
    assert "evil" not in answer.text and "0900" not in answer.text
    ann.asks("yes")
    assert not desk.numbers(player_id)


@pytest.mark.parametrize("line", ["game 1: 7 gemini a", "Game 1, 7 gemini a\ngame 2: 8 leo c"])
def test_a_move_to_the_public_address_is_told_where_to_go(ann: Correspondent, line: str) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel")
    (answer,) = ann.sends(DESK, line)
    assert "Send moves as a reply to one of our emails." in " ".join(answer.text.split())
    assert "nearest command" not in answer.text


@pytest.mark.parametrize("headers", [{}, {"Authentication_Results": "mx.stars.example; dmarc=pass"}])
def test_every_new_email_of_a_player_to_the_public_address_gets_an_answer(
    ann: Correspondent, headers: dict[str, str]
) -> None:
    ann_id = ann_joins(ann)
    later(DAY)
    (asked,) = ann.sends(DESK, "settings", **headers)
    assert "Please confirm that you wrote this" in asked.text
    (helped,) = ann.sends(DESK, "help", **headers)
    assert "Write each command on a line of its own" in helped.text
    (renamed,) = ann.sends(DESK, "name Heike", **headers)
    assert "Line 1: set name Heike" in renamed.text or "Line 1: name Heike" in renamed.text
    (games_of_ann,) = ann.sends(DESK, "games", **headers)
    assert "You have no games yet." in games_of_ann.text
    ann.answers(renamed.reply_to, "yes", **headers)
    assert profile(ann_id)["name"] == "Heike"
    (settings,) = ann.answers(asked.reply_to, "yes", **headers)
    assert "name: Heike" in settings.text


def test_the_settings_say_that_the_email_about_a_turn_waits_until_the_player_chooses(ann: Correspondent) -> None:
    ann_joins(ann)
    waits = "turns within two minutes, several games in one email"
    assert f"- mails: at-once, {waits}" in " ".join(ann.asks("settings").text.split())
    changed = " ".join(ann.asks("set mails game-ended off").text.split())
    assert f"Your emails are now sent: at-once, “Game over” off, {waits}" in changed
    for choice in ("at-once", "bundled"):
        told = " ".join(ann.asks(f"set mails {choice}\nsettings").text.split())
        assert f"mails: {choice}" in told and "two minutes" not in told
    assert f"Your emails are now sent: at-once, {waits}" in " ".join(ann.asks("set mails default").text.split())


def test_the_last_answer_to_the_public_address_asks_for_a_reply_which_ends_the_limit(ann: Correspondent) -> None:
    ann_joins(ann)
    answers = [ann.sends(DESK, "games") for _ in range(12)]
    assert [len(it) for it in answers] == [1] * 10 + [0] * 2
    assert "Reply to this email instead" not in " ".join(answers[8][0].text.split())
    assert "Reply to this email instead" in " ".join(answers[9][0].text.split())
    ann.answers(answers[9][0].reply_to, "games")
    assert len(ann.sends(DESK, "games")) == 1


def test_a_domain_at_its_limit_does_not_reveal_who_is_a_player(
    app: Flask, monkeypatch: pytest.MonkeyPatch, mailbox: Callable[[str], Correspondent], ann: Correspondent
) -> None:
    ann_joins(ann)
    later(DAY)
    monkeypatch.setitem(app.config["BOUNDS"], "desk-letters-domain", Bound(2, 86_400))
    assert [len(mailbox(f"s{nr}@example.net").sends(DESK, "help")) for nr in range(3)] == [1, 1, 0]
    assert ann.sends(DESK, "help") == []
    assert mailbox("bob@example.net").sends(DESK, "help") == []
    assert len(ann.sends(DESK, "help", **VOUCHED)) == 1
    assert len(mailbox("bob@example.net").sends(DESK, "help", **VOUCHED)) == 1


def test_forged_senders_change_nothing(
    request: pytest.FixtureRequest, app: Flask, monkeypatch: pytest.MonkeyPatch, office: Office, ada: UUID, bea: UUID
) -> None:
    """200 emails, or 10,000 with --all. Each has a sender that isn't the writer's."""
    number = 10_000 if request.config.getoption("--all") else 200
    monkeypatch.setitem(app.config["BOUNDS"], "desk-mails", Bound(20_000, 3600))
    seed = request.config.getoption("--seed")
    rng = Random(seed)
    game_of(ada, bea, bots=1)
    office.delivers()
    before, letters = rows(), len(office.mails("ada")) + len(office.mails("bea"))
    people = ["ada@example.org", "bea@example.org", *(f"s{nr}@d{nr % 7}.example" for nr in range(number // 20))]
    wrong = [
        stranger_word("x@y.example", Offered("en")),
        asked_word(ada, "x@y.example"),
        player_word(bea, "bea@example.org"),
    ]
    for _ in range(number):
        to = rng.choice(["post", "post", *wrong])
        sender = rng.choice(people if to == "post" else ["mallory@evil.example", *people[2:]])
        lines = [rng.choice(WRITING) for _ in range(rng.randint(1, 3))]
        arrives(f"{to}@{DOMAIN}", a_mail("\n".join(lines), sender=sender, Subject=rng.choice(WRITING)))
    settle()
    assert rows() == before
    assert len(office.mails("ada")) + len(office.mails("bea")) - letters <= 20
    for email in people[2:]:
        assert len(office.mails_to(email)) <= 1


def test_a_game_without_a_free_seat_is_private_and_a_free_seat_is_for_anyone(ann: Correspondent) -> None:
    ann_joins(ann)

    def is_private() -> bool:
        db.session.rollback()
        return bool(db.session.scalars(select(GameRow.private).order_by(GameRow.made_at.desc())).first())

    for line, private in (
        ("play sternenhimmel", True),
        ("new sternenglanz 2 with bob@example.org", True),
        ("new sternenglanz 2 with bob@example.org private=no", False),
        ("new sternenglanz 3 with bob@example.org", False),
        ("new sternenglanz 3 private=yes", True),
    ):
        told = ann.asks(line).text
        later(timedelta(seconds=1))
        assert is_private() is private, line
        assert ("Anyone can take a free seat." in told) is (line == "new sternenglanz 3 with bob@example.org"), line
