"""A reply means the same by every inbound route: the corpus and generated emails.

`STERNENPOST_WAYS=10000 .venv/bin/python -m pytest -n0 tests/post/incoming/test_ways_in.py` generates that many.
"""

import os
import re
import smtplib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from uuid import UUID

import pytest
from flask import Flask

from server.play.mail.mail_in import reply_word
from server.post.incoming import intake
from server.post.incoming.intake import LARGEST
from server.post.incoming.lines import Wishes
from server.post.incoming.smtp_server import SmtpServer
from server.store.tables import Incoming, db
from tests.post.incoming.replies.make import CASES, corpus
from tests.post.incoming.test_imap import read_once
from tests.post.incoming.test_replies import made_up, mutated, wishes, written
from tests.support.dovecot import PROGRAM, running_dovecot
from tests.support.live_server import free_port
from tests.support.mail_providers import PROVIDERS

pytestmark = pytest.mark.usefixtures("within", "fetched", "no_limits")
corpus()
SENDER = "ada@example.org"
# What no server need hand on as it is: longer lines (RFC 5321, 4.5.3.1.6), NUL, and CR alone (RFC 5322, 2.2 and 2.3).
UNFIT = re.compile(rb"[^\n]{998}|\0|\r(?!\n)")
BARE_LF = re.compile(rb"(?<!\r)\n")  # which no client of SMTP sends (RFC 5321, 2.3.8)
Brings = Callable[[str, Sequence[bytes]], None]


@pytest.fixture(scope="module")
def mails(pytestconfig: pytest.Config) -> dict[bytes, str]:
    """What is sent, and of which game it speaks: of the corpus all, or every tenth, and more made up from seeds; of copies
    one each."""
    is_all = pytestconfig.getoption("--all")
    made = int(os.environ.get("STERNENPOST_WAYS", "100" if is_all else "30"))
    found = {case.raw: case.game for case in list(CASES.values())[:: 1 if is_all else 10]}
    for seed in range(made):
        dice = Random(seed)
        game, _, words = made_up(dice)
        raw = written(dice, words, game)
        found[raw if seed % 3 else mutated(dice, raw)] = game
    fit = {raw: game for raw, game in found.items() if raw and len(raw) < LARGEST and not UNFIT.search(raw)}
    return {raw: fit[raw] for raw in {intake.identity(raw.rstrip()): raw for raw in fit}.values()}


def by_smtp(app: Flask, kind: type[smtplib.SMTP]) -> Iterator[Brings]:
    server = SmtpServer(app, f"127.0.0.1:{free_port()}")
    server.keep_open()
    with kind("127.0.0.1", server.port, timeout=60) as connection:

        def brings(address: str, mails: Sequence[bytes]) -> None:
            for raw in mails:
                connection.ehlo_or_helo_if_needed()
                assert connection.mail(SENDER)[0] == 250
                assert connection.rcpt(address)[0] == 250
                assert connection.data(BARE_LF.sub(b"\r\n", raw))[0] == 250

        yield brings
    server.close()


def by_provider(app: Flask, name: str) -> Iterator[Brings]:
    client = app.test_client()

    def brings(address: str, mails: Sequence[bytes]) -> None:
        for raw in mails:
            path, body, headers = PROVIDERS[name](address, SENDER, raw)
            assert client.post(path, data=body, headers=headers).status_code == 200

    yield brings


def by_imap(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Brings]:
    """Deliver to the mailbox with the envelope's address in a header, as Dovecot's delivery agents do."""
    with running_dovecot() as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))

        def brings(address: str, mails: Sequence[bytes]) -> None:
            with server.box() as box:
                for raw in mails:
                    box.append("INBOX", f"Delivered-To: {address}\r\n".encode() + raw)
            read_once(app, server.url())

        yield brings


@pytest.fixture(params=["smtp", "lmtp", "imap", *PROVIDERS])
def way(request: pytest.FixtureRequest, app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Brings]:
    match request.param:
        case "smtp":
            yield from by_smtp(app, smtplib.SMTP)
        case "lmtp":
            yield from by_smtp(app, smtplib.LMTP)
        case "imap" if PROGRAM is None:
            pytest.skip("Dovecot is not installed: apt-get install dovecot-imapd")
        case "imap":
            yield from by_imap(app, monkeypatch)
        case name:
            yield from by_provider(app, name)


def test_an_email_has_the_same_effect_on_every_inbound_route(
    way: Brings, mails: dict[bytes, str], game_id: UUID, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.params["way"] == "postmark":  # which hands mails on as a text
        mails = {raw: game for raw, game in mails.items() if raw == raw.decode("utf-8", "replace").encode()}
    address = f"{reply_word(game_id, 0, 1)}@stars.example"
    for some in in_turns(list(mails), 50):
        way(address, some)
    db.session.rollback()
    kept = list(db.session.scalars(db.select(Incoming.raw).order_by(Incoming.arrived_at)))
    assert len(kept) == len(mails)
    for raw, (sent, game) in zip(kept, mails.items(), strict=True):
        assert wishes(raw, game) == by_itself(sent, game), sent


@cache
def by_itself(raw: bytes, game: str) -> Wishes:
    """What a mail means; asked for each way."""
    return wishes(raw, game)


def in_turns(mails: list[bytes], most: int) -> Iterator[list[bytes]]:
    for start in range(0, len(mails), most):
        yield mails[start : start + most]
