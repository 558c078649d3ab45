"""Helpers for tests of replies to our letters."""

import re
from uuid import UUID

from server.play.moves import legal_moves
from server.post.incoming.answering import JOINING, deal_with_mails
from server.store.tables import Message, db
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import head_of, later, seats_of

DOMAIN = "stars.example"


def ada_writes(office: Office, text: str, **more: str) -> Mail:
    """Reply to Ada's newest letter and return the answer, for which time passes if necessary."""
    before = office.mails("ada")
    arrives(before[-1].reply_to, a_mail(text, **more))
    deal_with_mails()
    if office.mails("ada") == before:
        later(JOINING)
    (answer,) = (
        mail for mail in office.mails("ada")[len(before) :] if mail.message["Auto-Submitted"] == "auto-replied"
    )
    return answer


def a_move(game_id: UUID, who: UUID, number: int = 0) -> str:
    rules = head_of(game_id).table.rules
    move = legal_moves(game_id, who, [])["moves"][number]
    return rules.write_move(rules.move_from_json(move))


def messages(game_id: UUID) -> list[str]:
    db.session.rollback()
    said = db.select(Message.text).where(Message.game_id == game_id).order_by(Message.nr)
    return list(db.session.scalars(said))


def confirmation_in(mail: Mail) -> str:
    found = re.search(r"^  (confirm \w+)$", mail.text, re.MULTILINE)
    assert found
    return found[1]


def turn_of_ada(game_id: UUID) -> int | None:
    return seats_of(game_id)[0].turn
