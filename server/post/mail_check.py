"""An end-to-end check of mail. It finds out which part fails between our relay and the inbox.

Three emails are sent: one to ourselves, which shows the return path, one to the post desk, and one to a reader, who
replies. All of them come back to the postmaster, where a token in the subject identifies them.
"""

import time
from collections.abc import Callable
from secrets import token_hex
from typing import Any, NamedTuple

from server.clock import clock
from server.post.desk.addresses import CHECK
from server.post.dns_records import OK
from server.post.incoming import bounces
from server.post.incoming.authentication import results
from server.post.incoming.mime import head_and_body
from server.post.mime import Message, encode
from server.post.smtp import Carrier, Refused, Unreachable
from server.sanitize import clean
from server.store import postmaster as letterbox
from server.store.connections import let_go

PAUSE = 1.0  # seconds between two polls
_MOST = 500
_TEXT = """\
This email was sent by `sternenpost doctor --mail`. Please reply to it. One word is enough.

If you found it in your spam folder, please tell the operators of Sternenpost.
"""
_TO_OURSELVES = "Sent by `sternenpost doctor --mail`, to check whether emails arrive.\n"


class Way(NamedTuple):
    """The route by which emails leave and replies come back."""

    carrier: Carrier
    host: str
    reply_domain: str | None  # None if inbound mail is off
    desk: str | None = None  # address of the post desk


def check(
    way: Way, address: str, seconds: float, answer: Callable[[str], dict[str, str]] | None = None
) -> dict[str, str]:
    """Return, for each part of the route, `ok` or what is wrong with it. This takes at most `seconds`.

    `answer` finds the email with this token in the reader's mailbox, replies to it, and returns results for more parts
    of the route. If it is None, a person must reply.
    """
    ours, theirs, of_desk = token_hex(8), token_hex(8), token_hex(8)
    domain = way.reply_domain
    if domain is None:
        return {
            "relay": _sent(way, address, theirs, _TEXT),
            "entrance": "no inbound route is set: see STERNENPOST_MAIL_IN and STERNENPOST_MAIL_IN_SECRET",
        }
    found = {"relay": _sent(way, f"postmaster@{domain}", ours, _TO_OURSELVES)}
    if found["relay"] == OK:
        found["relay"] = _sent(way, address, theirs, _TEXT)
    if found["relay"] != OK:
        return found
    tokens = {ours, theirs}
    if way.desk and (found := found | {"post desk": _sent(way, way.desk, of_desk, _TO_OURSELVES)})["post desk"] == OK:
        tokens.add(of_desk)
    deadline = time.monotonic() + seconds
    if answer:
        found |= answer(theirs)
    raws = _wait_for(tokens, deadline)
    if not raws.keys() & {ours, theirs}:
        found.pop("post desk", None)  # no email arrives at all, which `entrance` already reports
    elif of_desk in tokens and of_desk not in raws:
        found["post desk"] = f"an email to {way.desk} did not arrive within {seconds:.0f} s"
    return found | _results_of_mails(raws.get(ours), raws.get(theirs), domain, address, seconds)


def _sent(way: Way, to: str, token: str, text: str) -> str:
    back = f"postmaster@{way.reply_domain}" if way.reply_domain else f"sternenpost@{way.host}"
    letter = Message(
        sender=f"sternenpost@{way.host}",
        to=to,
        subject=subject_of(token),
        text=text,
        message_id=f"{token}@{way.host}",
        date=clock.real(),
        headers={"Reply-To": back},
    )
    try:
        way.carrier.send(encode(letter), back, to)
    except (Refused, Unreachable) as error:
        return f"rejected an email to {to}: {error}"
    return OK


def subject_of(token: str) -> str:
    return f"{CHECK} {token}"


def _wait_for(tokens: set[str], deadline: float) -> dict[str, bytes]:
    """Return those emails with these tokens that arrive in the postmaster's mailbox by the deadline, and delete them
    there."""
    found: dict[str, bytes] = {}
    while True:
        for mail in letterbox.newest(_MOST):
            for token in tokens - found.keys():
                if token.encode() in mail.raw:
                    found[token] = mail.raw
                    letterbox.drop(mail.mail_id)
                    break
        let_go()
        if found.keys() == tokens or time.monotonic() >= deadline:
            return found
        time.sleep(min(PAUSE, max(deadline - time.monotonic(), 0)))


def _results_of_mails(
    ours: bytes | None, theirs: bytes | None, domain: str, address: str, seconds: float
) -> dict[str, str]:
    if ours is None and theirs is None:
        way = f"an email to {domain} did not arrive within {seconds:.0f} s"
        return {"entrance": f"{way}: does its MX lead to your inbound route?"}
    found = {"entrance": OK}
    if ours is None:
        found["entrance"] = f"the reply arrived, but the email from our relay to {domain} did not"
    elif path := head_and_body(ours)[0].first("return-path"):
        is_kept = f"postmaster@{domain}" in path.lower()
        found["return path"] = (
            OK if is_kept else (f"the relay changes it to {clean(path, 100)}, so bounces arrive only by its webhooks")
        )
    bounce = bounces.read(theirs) if theirs else None
    if bounce:
        found["letter"] = f"bounced from {address}: {bounce.why}"
    elif theirs is None:
        found["letter"] = f"no reply from {address} within {seconds:.0f} s: is the test email in the spam folder?"
    else:
        found["letter"] = OK
    return found


# In the reader's mailbox


def answer_by_imap(url: str, way: Way, address: str, seconds: float) -> Callable[[str], dict[str, str]]:
    """Return a function that finds the test email in this mailbox, and replies to it like a reader."""

    def answer(token: str) -> dict[str, str]:
        from imapclient.exceptions import IMAPClientError  # an optional dependency

        from server.post.incoming.imap import opened

        deadline = time.monotonic() + seconds
        try:
            with opened(url) as box:
                while (raw := _find_letter(box, token)) is None:
                    if time.monotonic() >= deadline:
                        return {
                            "arrival": f"the test email did not reach the mailbox of {address} within {seconds:.0f} s"
                        }
                    time.sleep(PAUSE)
                    box.noop()
        except (IMAPClientError, OSError) as error:
            return {"arrival": f"the mailbox is not readable: {error}"}
        return {"arrival": OK, **_results_there(raw)} | _answered(way, address, token)

    return answer


def _find_letter(box: Any, token: str) -> bytes | None:
    """Return the email, or None if it isn't there or has just been moved."""
    uids = box.search(["SUBJECT", token])[:1]
    found = box.fetch(uids, ["BODY.PEEK[]"])
    return next((it[b"BODY[]"] for it in found.values() if b"BODY[]" in it), None)


def _results_there(raw: bytes) -> dict[str, str]:
    found = sorted(results(head_and_body(raw)[0]).items())
    return {f"{name.upper()} there": OK if it == "pass" else it for name, it in found}


def _answered(way: Way, address: str, token: str) -> dict[str, str]:
    to = f"postmaster@{way.reply_domain}"
    letter = Message(
        sender=address,
        sender_name="",
        to=to,
        subject=f"Re: {subject_of(token)}",
        text="It has arrived.\n",
        message_id=f"{token_hex(8)}@{way.host}",
        date=clock.real(),
        answers=f"{token}@{way.host}",
    )
    try:
        way.carrier.send(encode(letter), address, to)
    except (Refused, Unreachable) as error:
        return {"answer": f"could not be sent: {error}"}
    return {}
