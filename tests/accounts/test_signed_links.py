"""Signed link tokens: each is valid in only one spelling, and the secret can be rotated at run time."""

import subprocess
import sys
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select

from server.accounts import signed_links
from server.accounts.sign_in import begin_sign_in, redeem
from server.accounts.signed_links import (
    BOUNCE,
    FEED,
    INVITATION,
    REPLY,
    RETURN,
    RSVP,
    STOP,
    TURN,
    forget_old_secrets,
    is_mark_of,
    mark_of,
    sign,
    sign_text,
    verify,
    verify_text,
)
from server.errors import NotFound
from server.play.mail.mail_in import confirming_word, confirms
from server.play.turns.turn_links import caller, play_by_link, turn_word
from server.store.tables import PlayerLetterRow, Setting, db
from tests.support.commands import run
from tests.support.games import DAY, game_of, later, moves_of, person
from tests.support.live_server import until

GAME = uuid4()
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


pytestmark = pytest.mark.usefixtures("commands")


def opens(purpose: str, word: str) -> bool:
    try:
        verify_text(purpose, word) if purpose == STOP else verify(purpose, word)
    except NotFound:
        return False
    return True


def signed(purpose: str) -> str:
    return sign_text(STOP, "your-turn somebody 2") if purpose == STOP else sign(purpose, GAME, 3, 70_000)


# One spelling


@pytest.mark.parametrize("purpose", [TURN, INVITATION, RETURN, STOP, FEED, REPLY, BOUNCE, RSVP])
def test_a_signature_with_changed_unused_bits_is_rejected(purpose: str) -> None:
    word = signed(purpose)
    assert [last for last in LETTERS if opens(purpose, word[:-1] + last)] == [word[-1]]
    for other in (f"{word}=", f" {word}", f"{word}a", word.replace("i", "\N{LATIN SMALL LETTER DOTLESS I}", 1) + "="):
        assert not opens(purpose, other), other


@pytest.mark.parametrize("purpose", [TURN, INVITATION, RETURN, STOP, FEED])
def test_link_tokens_are_lower_case(purpose: str) -> None:
    word = signed(purpose)
    assert opens(purpose, word)
    assert not opens(purpose, word.upper()) and not opens(purpose, word.title())


@pytest.mark.parametrize("purpose", [REPLY, BOUNCE, RSVP])
def test_the_case_of_a_signed_address_does_not_matter(purpose: str) -> None:
    word = signed(purpose)
    assert all(opens(purpose, it) for it in (word, word.upper(), word.title()))


# Another secret


def rotate(*words: str) -> str:
    told = run("rotate-secret", *words)
    signed_links._seen.clear()  # as two seconds later
    return told


def settings() -> dict[str, str]:
    db.session.rollback()
    return {row.name: row.value for row in db.session.scalars(select(Setting))}


@pytest.mark.parametrize("purpose", [TURN, INVITATION, RETURN, STOP, FEED, REPLY, BOUNCE, RSVP])
def test_old_signatures_are_valid_until_the_grace_period_ends(purpose: str) -> None:
    old = signed(purpose)
    rotate("--grace", "P2D")
    new = signed(purpose)
    assert new != old
    later(2 * DAY - timedelta(minutes=1))
    assert opens(purpose, old) and opens(purpose, new)
    later(timedelta(minutes=1))
    assert not opens(purpose, old) and opens(purpose, new)


def test_a_second_rotation_does_not_extend_the_first_grace_period() -> None:
    words = [signed(TURN)]
    for grace in ("P2D", "P30D", "PT1H"):
        rotate("--grace", grace)
        words.append(signed(TURN))
    later(timedelta(minutes=59))
    assert all(opens(TURN, word) for word in words)
    later(timedelta(minutes=1))
    assert [opens(TURN, word) for word in words] == [False, False, False, True]


def test_the_old_secret_is_deleted_after_the_grace_period() -> None:
    signed(TURN)
    before = settings()["secret"]
    rotate("--grace", "P2D")
    forget_old_secrets()
    assert before in settings()["old-secrets"] and settings()["secret"] != before
    later(2 * DAY)
    forget_old_secrets()
    assert settings()["old-secrets"] == "[]"


def test_a_dry_run_does_not_change_the_secret() -> None:
    signed(TURN)
    before = settings()
    assert "nothing was changed" in rotate("--dry-run")
    assert settings() == before


OTHER = """
import sys
from server.app import create_app
from server.accounts.signed_links import TURN, verify
from server.errors import NotFound
with create_app().app_context():
    for word in sys.stdin:
        try:
            print(verify(TURN, word.strip()).number, flush=True)
        except NotFound:
            print("nothing", flush=True)
"""


def test_a_running_process_picks_up_the_new_secret() -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", OTHER], **pipes) as process:  # type: ignore[call-overload]

        def read_number(word: str) -> str:
            process.stdin.write(f"{word}\n")
            return str(process.stdout.readline().strip())

        old = signed(TURN)
        assert read_number(old) == "70000"
        rotate("--grace", "PT1S")
        until(lambda: read_number(signed(TURN)) == "70000", 1)  # it has cached the old one only for a moment
        until(lambda: read_number(old) == "nothing", 10)
        process.stdin.close()


def test_codes_invitations_and_confirmations_stay_valid_after_a_rotation() -> None:
    sign_in = begin_sign_in("ada@example.org", "en", None)
    code = db.session.scalars(select(PlayerLetterRow)).one().data["code"]
    mark, mail_id = mark_of("bea@example.org"), uuid4()
    word = confirming_word(mail_id)
    rotate()
    assert is_mark_of("bea@example.org", mark) and not is_mark_of("cleo@example.org", mark)
    assert confirms(word, mail_id) and confirming_word(mail_id) != word
    assert redeem(sign_in, code)


def test_a_turn_link_still_plays_its_turn_after_a_rotation() -> None:
    ada = person("ada")
    game_id = game_of(ada, person("ben"), person("cleo"))
    word = turn_word(game_id, 0, 1)
    rotate()
    who = caller(word)
    assert play_by_link(who.player_id, who.turn, who.closed, 1, moves_of(game_id, ada)[0])


def test_the_secret_is_not_read_from_the_database_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    look_up = signed_links._looked_up
    monkeypatch.setattr(signed_links, "_looked_up", lambda: asked.append(0.0) or look_up())
    word = signed(TURN)
    forged = f"{word[:-8]}{'b' if word[-8] == 'a' else 'a'}{word[-7:]}"
    for _ in range(1000):
        assert opens(TURN, word) and not opens(TURN, forged)
    assert len(asked) < 50
