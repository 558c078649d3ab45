"""A fault of the rules is mended for new games; running ones stay as they are, and every log replays. Some of those of
`python -m tests.bench.rule_faults`."""

import pytest
from flask import Flask

from server.play.commits import load
from server.play.seating.games import open_game
from server.rules import GAMES, BadOption, mended_options, newest_rules
from server.store.database_retry import Unavailable
from tests.bench.rule_faults import mend_under
from tests.support.games import BOT, ME, person

pytestmark = pytest.mark.usefixtures("app", "no_limits")


def test_ten_faults_are_mended_under_running_games_of_which_none_changes_and_all_replay(app: Flask) -> None:
    with app.app_context():
        outcome = mend_under(200)
    assert outcome.is_well, outcome
    assert len(outcome.shown) == 10


@pytest.mark.parametrize("name", GAMES)
def test_a_game_names_a_revision_of_its_rules_once_a_fault_was_mended(
    app: Flask, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rules = GAMES[name]
    seats = [ME, *[BOT] * (rules.SEATS[0] - 1)]
    with app.app_context():
        ada = person("ada")
        before = open_game(ada, {"rules": name, "seats": seats})
        monkeypatch.setitem(rules.OPTION_SCHEMA["properties"], "revision", mended_options(2)["revision"])
        for chosen in ({}, {"revision": 0}):  # as whoever opens a game with the options of an old one
            after = open_game(ada, {"rules": name, "seats": seats, "options": chosen})
            assert after.head["options"]["revision"] == 2
        assert "revision" not in load(before.game_id).head["options"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("revision", [True, -1, 3, 1.0, None, "1"])
def test_a_revision_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, revision: object) -> None:
    rules = GAMES[name]
    monkeypatch.setitem(rules.OPTION_SCHEMA["properties"], "revision", mended_options(2)["revision"])
    assert rules.resolve_options(newest_rules(rules), rules.SEATS[0])["revision"] == 2
    with pytest.raises(BadOption):
        rules.resolve_options({"revision": revision}, rules.SEATS[0])


def test_a_process_leaves_a_game_alone_whose_rules_are_of_a_later_release(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    properties = GAMES["sternenhimmel"].OPTION_SCHEMA["properties"]
    with app.app_context():
        monkeypatch.setitem(properties, "revision", mended_options(1)["revision"])
        game_id = open_game(person("ada"), {"rules": "sternenhimmel", "seats": [ME, BOT, BOT]}).game_id
        monkeypatch.delitem(properties, "revision")
        with pytest.raises(Unavailable):
            load(game_id)
