"""No command shows a password or token, however its setting is written."""

import traceback
from urllib.parse import quote

import pytest

from server.config import BadSetting, Settings, mask_passwords
from tests.support.commands import ask
from tests.support.live_server import free_port

WORD = "sesame"
AWKWARD = [
    *(WORD, f"a@{WORD}", f"{WORD}@b", f"a:{WORD}", f"12/{WORD}", f"12#{WORD}", f"12?{WORD}", f"%40{WORD}", f"%{WORD}"),
    *(f"my {WORD}", f"ü{WORD}é", f"a,{WORD}", f"a://{WORD}", f"a&{WORD}", f"'{WORD}'", f"a\\{WORD}", f"?x@{WORD}"),
    *(f"x={WORD}", f"password={WORD}", f"[{WORD}]", f"a\n{WORD}", f"%00{WORD}"),
]
SHOWN = (WORD, f"a@{WORD}", f"%{WORD}", f"my {WORD}")  # tried on commands; a test of masking tries all of AWKWARD
SHAPES = {
    "DATABASE_URL": [
        "postgresql://stars:{}@127.0.0.1:{port}/stars",
        "postgresql://ada@example.org:{}@127.0.0.1:{port}/stars",
        "postgresql://stars@127.0.0.1:{port}/stars?password={}",
        "postgresql://127.0.0.1:{port}/stars?user=stars&password={}&sslmode=prefer",
        "host=127.0.0.1 port={port} user=stars password={} dbname=stars",
        "host=127.0.0.1 password='{}' dbname=stars",
        "mysql://stars:{}@127.0.0.1/stars",
        "postgresql://stars:{}@127.0.0.1:{port},127.0.0.1:{port}/stars",
    ],
    "SMTP_URL": [
        "smtp://stars:{}@127.0.0.1:{port}",
        "smtp://a:b@127.0.0.1:{port},smtp://ada@example.org:{}@127.0.0.1:{port}",
        "smtps://stars:{}@127.0.0.1:{port}/way?too=long",
        "stars:{}@127.0.0.1:{port}",
        "imap://stars:{}@127.0.0.1",
    ],
    "STERNENPOST_MAIL_IN": [
        "imaps://ada@example.org:{}@127.0.0.1:{port}/INBOX",
        "127.0.0.1:{port},imaps://ada:{}@127.0.0.1:{port}/INBOX,lmtp://127.0.0.1:1024",
        "imap://ada@example.org:{}@127.0.0.1/INBOX",
        "ada@example.org:{}@127.0.0.1:{port}",
    ],
    "STERNENPOST_MAIL_IN_SECRET": ["{}", "a-long-{}-of-providers"],
    "STERNENPOST_METRICS_TOKEN": ["{}", "a-long-{}-of-prometheus"],
    "STERNENPOST_BASE_URL": [
        "https://ada:{}@stars.example",
        "https://ada:{}@stars.example/way?q#f",
        "ada:{}@stars.example",
    ],
}
SHAPES["DATABASE_URL_DIRECT"] = SHAPES["DATABASE_URL"]
EVERY = [(name, shape) for name, shapes in SHAPES.items() for shape in shapes]


def written(shape: str, secret: str) -> str:
    return shape.replace("{port}", str(free_port())).replace("{}", secret)


@pytest.mark.parametrize(("name", "shape"), EVERY)
def test_secrets_appear_neither_in_the_list_nor_in_errors(name: str, shape: str) -> None:
    for secret in (*AWKWARD, *map(quote, AWKWARD)):
        environment = {name: written(shape, secret)}
        try:
            settings = Settings.from_environment(environment)
            said = f"{settings.listed()} {settings!r} {settings}"
        except BadSetting as error:
            said = "".join(traceback.format_exception(error))
        assert name in said, secret
        assert WORD not in said, secret


@pytest.mark.parametrize("secret", SHOWN)
@pytest.mark.parametrize("name", SHAPES)
def test_no_command_shows_a_secret(name: str, secret: str, shared_url: str, tmp_path, monkeypatch) -> None:
    """Neither when it is rejected nor when it is used without an answer."""
    for variable, value in {"DATABASE_URL": shared_url, "STERNENPOST_DATA": str(tmp_path)}.items():
        monkeypatch.setenv(variable, value)
    for written_as in (secret, quote(secret, safe="")):
        monkeypatch.setenv(name, written(SHAPES[name][0], written_as).replace("\0", ""))
        for command in (["config"], ["doctor"], ["migrate", "--dry-run"], ["units"]):
            said = ask(*command)
            assert said.exception is None or isinstance(said.exception, SystemExit), command
            assert WORD not in said.output, command


@pytest.mark.parametrize("secret", SHOWN)
def test_a_checked_mailbox_is_shown_without_its_password(secret: str, shared_url: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DATABASE_URL", shared_url)
    monkeypatch.setenv("STERNENPOST_DATA", str(tmp_path))
    monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{free_port()}")
    mailbox = f"imaps://ada@example.org:{secret}@127.0.0.1:{free_port()}/INBOX"
    said = ask("doctor", "--mail", "ada@example.org", "--wait", "1", "--imap", mailbox)
    assert isinstance(said.exception, SystemExit)
    assert WORD not in said.output


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("imaps://ada@example.org:secret@host/INBOX", "imaps://ada@example.org:***@host/INBOX"),
        ("smtp://a:b@[::1]:25,smtps://c:d@e", "smtp://a:***@[::1]:25,smtps://c:***@e"),
        ("postgresql://a@[2001:db8::2]:5433,db:5432/stars", "postgresql://a@[2001:db8::2]:5433,db:5432/stars"),
        ("postgresql://h/d?password=a@b&sslmode=require", "postgresql://h/d?password=***&sslmode=require"),
        ("host=h password='a b' dbname=d", "host=h password=*** dbname=d"),
        ("smtp://stars:secret", "smtp://stars:***"),
        ("smtp://mail.example:25", "smtp://mail.example:25"),
    ],
)
def test_text_that_only_looks_like_a_password_stays_readable(text: str, shown: str) -> None:
    assert mask_passwords(text) == shown
