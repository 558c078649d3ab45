"""Notice kinds: every declared kind has texts for its channels."""

import json
from pathlib import Path

import pytest

from server.accounts.notice_kinds import ANSWER, MAIL_KINDS, NOTICE_KINDS, NoticeKind
from server.page import SOURCES
from server.post.letters import compose, context
from server.post.wording import GameLetter, Letter

assert compose  # so that all builders are registered
ALL = list(NOTICE_KINDS.values())
TEMPLATES = Path(compose.__file__).parents[1] / "templates"


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_only_notice_kinds_sent_by_email_have_a_builder(kind: NoticeKind) -> None:
    assert (kind.name in context._BUILDERS) == bool(kind.headline)


def classes_of(letter: type[Letter]) -> list[type[Letter]]:
    below = letter.__subclasses__()
    return [found for it in below for found in classes_of(it)] if below else [letter]


def test_every_letter_has_its_templates() -> None:
    names = {letter.TEMPLATE or letter.KIND.name for letter in classes_of(Letter)}
    for ending in ("txt", "html"):
        assert names <= {path.stem for path in TEMPLATES.glob(f"*.{ending}")}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_every_notice_kind_has_a_name_and_every_choice_has_a_hint_on_the_page(kind: NoticeKind) -> None:
    for language in ("de", "en", "fr", "it"):
        words = {key for path in SOURCES[f"words/{language}/settings.json"] for key in json.loads(path.read_bytes())}
        assert f"kind.{kind.name}" in words
        assert (f"mail.{kind.name}" in words) == (kind.name in MAIL_KINDS)


def test_players_can_turn_off_all_emails_about_games_except_replies_to_their_own_emails() -> None:
    of_games = {letter.KIND.name for letter in GameLetter.__subclasses__()} - {ANSWER.name}
    assert of_games == {name for name in MAIL_KINDS if NOTICE_KINDS[name].bundles}
