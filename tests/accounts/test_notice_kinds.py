"""Notice kinds: every declared kind has texts for its channels."""

import json
from pathlib import Path

import pytest

from server.accounts.notice_kinds import ANSWER, MAIL_KINDS, NOTICE_KINDS, NoticeKind
from server.page import SOURCES
from server.post.letters import compose, context
from server.post.wording import GameLetter

assert compose  # so that all builders are registered
ALL = list(NOTICE_KINDS.values())
TEMPLATES = Path(compose.__file__).parents[1] / "templates"


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_only_notice_kinds_sent_by_email_have_a_builder_and_a_template(kind: NoticeKind) -> None:
    assert (kind.name in context._BUILDERS) == bool(kind.headline)
    for ending in ("txt", "html"):
        assert (TEMPLATES / f"{kind.name}.{ending}").exists() == bool(kind.headline)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_every_notice_kind_has_a_name_and_every_choice_has_a_hint_on_the_page(kind: NoticeKind) -> None:
    for language in ("de", "en", "fr", "it"):
        words = {key for path in SOURCES[f"words/{language}/settings.json"] for key in json.loads(path.read_bytes())}
        assert f"kind.{kind.name}" in words
        assert (f"mail.{kind.name}" in words) == (kind.name in MAIL_KINDS)


def test_players_can_turn_off_all_emails_about_games_except_replies_to_their_own_emails() -> None:
    of_games = {letter.KIND.name for letter in GameLetter.__subclasses__()} - {ANSWER.name}
    assert of_games == {name for name in MAIL_KINDS if NOTICE_KINDS[name].bundles}
