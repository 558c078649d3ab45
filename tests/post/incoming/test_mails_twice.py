"""Duplicate emails, workers that die midway, and quoted lines: each email counts once."""

from uuid import UUID

import pytest

from server.play.mail.mail_in import KEPT, forget_old_mails
from server.play.votes import vote
from server.post import wording
from server.post.incoming import answering
from server.post.incoming.answering import LEASE, deal_with_mails
from server.post.letters import answers
from server.store.database_retry import Unavailable
from server.store.tables import Incoming, db
from tests.post.incoming.replying import a_move, ada_writes, messages
from tests.post.office import Office, a_mail, arrives
from tests.support.games import DAY, HOUR, happened, later, person

pytestmark = pytest.mark.usefixtures("within")

# Twice, and in pieces


def test_a_duplicate_email_takes_effect_and_gets_a_reply_only_once(office: Office, game_id: UUID) -> None:
    raw = a_mail("say Good evening!")
    (turn,) = office.mails("ada")
    for copy in (raw, b"Received: from elsewhere\r\n" + raw, raw):
        arrives(turn.reply_to, copy)
        deal_with_mails()
    assert messages(game_id) == ["Good evening!"]
    assert len(office.mails("ada")) == 2


def test_a_different_email_with_the_same_message_id_counts_as_another_email(office: Office, game_id: UUID) -> None:
    for words in ("One.", "Two."):
        ada_writes(office, f"say {words}", **{"Message-ID": "<always-the-same@ada.example.org>"})
    assert messages(game_id) == ["One.", "Two."]


@pytest.mark.parametrize("text", ["{move}", "say Good evening!", "pause", "resume"])
def test_nothing_is_repeated_after_a_crash_between_a_commit_and_recording_it(
    office: Office, game_id: UUID, ada: UUID, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = text.format(move=a_move(game_id, ada))
    if text == "resume":
        for wish, who in (("pause", "ada"), ("pause", "bea"), ("resume", "bea")):
            vote(game_id, person(who), wish, True)
    office.mails("ada")
    arrives(office.mails("ada")[-1].reply_to, a_mail(line))

    def dies(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(answering, "_finish", dies)
        deal_with_mails()
    before, said = happened(game_id), len(office.mails("ada"))
    deal_with_mails()
    assert len(office.mails("ada")) == said  # another process may still work on it
    later(LEASE)
    deal_with_mails()
    assert happened(game_id) == before
    assert messages(game_id) == (["Good evening!"] if text.startswith("say") else [])
    answer = office.mails("ada")[-1]
    assert answer.message["Auto-Submitted"] == "auto-replied"
    assert len(office.mails("ada")) == said + 1  # the email about the turn contains the answer to `resume`
    told = {"{move}": "your move was played", "pause": "as soon as everyone", "resume": "The game was resumed."}
    assert told.get(text, "Your message is in the chat") in answer.text


def test_emails_of_one_seat_are_processed_in_order(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    (turn,) = office.mails("ada")
    arrives(turn.reply_to, a_mail("say One."))
    arrives(turn.reply_to, a_mail("say Two."))

    def is_away(*_: object, **__: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(answering, "_read", is_away)
        deal_with_mails()
    deal_with_mails()
    assert messages(game_id) == []
    later(LEASE)
    deal_with_mails()
    assert messages(game_id) == ["One.", "Two."]


# Afterwards


def test_processed_emails_are_deleted_after_some_days(office: Office, game_id: UUID, ada: UUID) -> None:
    ada_writes(office, "?")
    forget_old_mails()
    assert db.session.scalars(db.select(Incoming.mail_id)).all()
    later(KEPT + HOUR)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    forget_old_mails()
    (waiting,) = db.session.scalars(db.select(Incoming))
    assert waiting.due_at is not None


# Lines that come back


def test_a_players_old_lines_do_not_take_effect_again_below_an_unknown_quote_intro(
    office: Office, game_id: UUID
) -> None:
    ada_writes(office, "say Good evening!")
    again = "Kiitos.\n\nAda kirjoitti\n\nsay Good evening!\n"
    assert "This looks like quoted text or repeats one of your earlier emails" in ada_writes(office, again).text
    assert messages(game_id) == ["Good evening!"]
    ada_writes(office, f"say And good luck.\n\n{again}")
    assert messages(game_id) == ["Good evening!", "And good luck."]
    later(KEPT + DAY)
    forget_old_mails()
    assert [bytes(raw) for raw in db.session.scalars(db.select(Incoming.raw))] == [b"", b"", b""]
    assert "This looks like quoted text or repeats one of your earlier emails" in ada_writes(office, again).text
    ada_writes(office, "Hello all,\n\nsay Good evening!")
    assert messages(game_id) == ["Good evening!", "And good luck.", "Good evening!"]


def test_processing_an_email_does_not_render_our_earlier_replies_again(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        ada_writes(office, "?")
    written: list[str] = []

    def counted(letter: wording.Letter, *args: str, **more: str) -> str:
        written.append(letter.template)
        return wording.write_page(letter, *args, **more)

    monkeypatch.setattr(answers, "write_page", counted)
    arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
    deal_with_mails()
    assert not written
