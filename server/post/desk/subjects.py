"""Subjects as commands: an empty email may have its command there, unless the subject is just that of our letter.

Programs repeat the subject of the letter that they answer. So the id of our letter contains a signature of its subject,
and nothing needs to be stored.
"""

import re
from secrets import compare_digest, token_bytes
from uuid import UUID

from server.accounts.signed_links import DESK, keyed_hash, keyed_hashes
from server.post.desk.reading import SUBJECT
from server.post.incoming.replies import Mail

_HALF = 8  # bytes
_COMPARED = 100  # characters; our letters shorten longer subjects
_OUR_ID = re.compile(r"<([0-9a-f-]{36})@[^<>@\s]+>")


def letter_id_for(subject: str) -> UUID:
    """Return a new id for a letter that repeats the subject of the email that it answers."""
    salt = token_bytes(_HALF)
    return UUID(bytes=salt + keyed_hash(DESK, _signed(salt, subject))[:_HALF])


def command_in_subject(mail: Mail) -> str:
    """Return the subject as a line that its sender wrote. Return "" if it is that of our letter. If it answers an email
    that isn't ours, it may be that email's subject, and becomes a question.
    """
    if not SUBJECT.match(mail.subject):
        return mail.subject
    if (letter_id := id_in(mail.answers)) is None:
        return f"{mail.subject}?"
    salt, mark = letter_id.bytes[:_HALF], letter_id.bytes[_HALF:]
    hashes = keyed_hashes(DESK, _signed(salt, mail.subject))
    return "" if any(compare_digest(it[:_HALF], mark) for it in hashes) else mail.subject


def id_in(message_id: str) -> UUID | None:
    """Return the id of our letter with this Message-ID, or None."""
    found = _OUR_ID.fullmatch(message_id)
    try:
        return UUID(found[1]) if found else None
    except ValueError:
        return None


def _signed(salt: bytes, subject: str) -> str:
    bare = " ".join(SUBJECT.sub("", subject).lower().split())
    return f"{salt.hex()} {bare[:_COMPARED]}"
