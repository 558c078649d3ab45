"""Hints by email: `hint` sends the best moves of a game against bots, as lines that can be sent back."""

import json
import re
from importlib.resources import files
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.bots import advice
from server.config import Bound
from server.games import GAMES, sternenhimmel
from server.games.contract import Effort
from server.games.presentation import write_move
from server.play.commits import load
from server.play.turns import hints
from server.play.votes import vote
from server.post.incoming import acting, answering
from server.post.incoming.acting import how_good
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.commands import HINT, word_for
from server.translations import LOCALES
from tests.post.incoming.replying import a_move, ada_writes, messages
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.child_work import burn
from tests.support.games import everything_due_happens, game_of, moves_of, moves_on, person

pytestmark = pytest.mark.usefixtures("within")
HOW_GOOD = {  # how the line above a move begins
    "en": "The best|Among|About",
    "de": "Der beste|Einer|Etwa",
    "fr": "Le meilleur|L’un|Vaut|Environ",
    "it": "La migliore|Tra|Vale|Circa",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(worlds=1, candidates=4))


def against_bots(office: Office, ada: UUID, rules: str = "sternenhimmel") -> UUID:
    game_id = game_of(ada, bots=2, rules=rules, options={"start_seat": 0})
    assert office.mails("ada")
    return game_id


def hint_on_the_page() -> str:
    words = json.loads((files("server.page") / "words" / "en" / "page.json").read_text("utf-8"))
    return str(words["hint"])


def moves_in(mail: Mail, locale: str) -> list[str]:
    """Return the moves in an answer. They stand below a line that says how good they are."""
    found = re.search(rf"^(?:{HOW_GOOD[locale]}).*\n(?:.+\n)+", mail.text, re.MULTILINE)
    return re.findall(r"^  (\S.*)$", found[0], re.MULTILINE) if found else []


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_a_hint_lists_the_moves_of_the_api_as_lines_that_can_be_sent_back(
    office: Office, ada: UUID, rules: str, locale: str
) -> None:
    change_profile(ada, {"locale": locale})
    game_id = against_bots(office, ada, rules)
    before, legal = load(game_id).version, moves_of(game_id, ada)
    answer = ada_writes(office, f"{word_for(HINT, locale)}!")
    found = hints.hint(game_id, ada, locale)["moves"]
    expected = ["; ".join(step["words"] for step in (it, *it["then"])) for it in found]
    assert moves_in(answer, locale) == expected
    assert all(" ".join(it["why"].split()) in " ".join(answer.text.split()) for it in found)
    kinds = {re.sub(r"#\d+", "", write_move(GAMES[rules], GAMES[rules].move_from_json(it), locale)) for it in legal}
    assert 1 <= len(expected) <= min(3, len(kinds))  # copies of a card count once; much worse moves are left out
    assert len({re.sub(r"#\d+", "", it) for it in expected}) == len(expected)
    assert f"<code>{expected[0]}</code>" in answer.page
    assert load(game_id).version == before
    ada_writes(office, expected[-1])
    assert load(game_id).version > before


@pytest.mark.parametrize("bots", [1, 2])
def test_the_last_line_of_a_turn_email_names_rules_and_where_it_works_hint(
    office: Office, ada: UUID, bots: int
) -> None:
    humans = [person("ben")] if bots == 1 else []
    game_of(ada, *humans, bots=bots, options={"start_seat": 0})
    (told,) = office.mails("ada")
    words = "“rules” or “hint”" if bots == 2 else "“rules”"
    assert f"No browser? Reply {words}, or write to " in told.text.rstrip().splitlines()[-1]
    assert f"No browser? Reply {words}, or write to <a href" in told.page
    assert bool(moves_in(ada_writes(office, "hint"), "en")) is (bots == 2)


def test_a_hint_stands_beside_a_move_and_is_for_the_next_turn(office: Office, ada: UUID) -> None:
    game_id = against_bots(office, ada)
    answer = ada_writes(office, f"{a_move(game_id, ada)}\n\nhint")
    assert "It isn't your turn" in answer.text
    assert not moves_in(answer, "en")
    everything_due_happens()
    everything_due_happens()
    assert len(moves_in(ada_writes(office, "Hint?"), "en")) == 3


@pytest.mark.parametrize("words", ["Thanks for the hint!", "Hint from me, be careful."])
def test_a_hint_within_a_sentence_does_not_stop_a_move(office: Office, ada: UUID, words: str) -> None:
    game_id = against_bots(office, ada)
    answer = ada_writes(office, f"{words}\n\n{a_move(game_id, ada)}")
    assert load(game_id).version > 1
    assert not moves_in(answer, "en")


def test_the_answer_to_a_refused_move_says_why_although_the_hint_or_pause_beside_it_failed(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    move = a_move(game_id, ada)
    ada_writes(office, move)
    why = re.search(rf"^  {move}\n\n(.+?)\n\n", ada_writes(office, move).text, re.MULTILINE | re.DOTALL)
    assert why
    told = ada_writes(office, f"{move}\n\nhint").text
    assert f"  {move}\n\n{why[1]}\n\n" in told
    assert "hints" not in told.partition("Commands")[0]
    vote(game_id, ada, "pause", True)
    vote(game_id, person("bea"), "pause", True)
    told = " ".join(ada_writes(office, f"{move}\n\npause").text.split())
    assert f' {move} The game is paused. To continue it, reply "resume". Only a running game can be paused. ' in told


def test_a_hint_by_email_is_computed_by_another_process_than_the_sweep(
    office: Office, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    against_bots(office, ada)
    monkeypatch.setattr(sternenhimmel, "judge", None)  # in this process
    assert len(moves_in(ada_writes(office, "hint"), "en")) == 3


def test_a_hint_that_exceeds_the_limits_of_the_child_process_is_left_to_the_page(
    office: Office, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = against_bots(office, ada)
    monkeypatch.setattr(acting, "suggested", burn)
    answer = ada_writes(office, "hint\n\nsay Hello")
    told = " ".join(answer.text.split())
    assert "Finding the best moves took too long by email. Open the game with the link in this email" in told
    assert f'"{hint_on_the_page()}" shows them there' in told
    assert "no hints" not in told
    assert messages(game_id) == ["Hello"]


def test_a_table_with_another_person_gets_no_hints_by_email(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    answer = ada_writes(office, "hint")
    assert "You can get hints only in games in which all other players are bots." in " ".join(answer.text.split())
    assert not moves_in(answer, "en")
    moves_on(game_id, ada)


def test_hints_by_email_count_against_the_limit_of_the_api(
    office: Office, app: Flask, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "LIMITS", True)
    monkeypatch.setitem(app.config["BOUNDS"], "hints", Bound(2, 3600))
    game_id = against_bots(office, ada)
    hints.hint(game_id, ada, "en")
    assert moves_in(ada_writes(office, "hint"), "en")
    answer = ada_writes(office, "hint")
    assert "You've asked for 2 hints. You can get the next one in " in " ".join(answer.text.split())
    assert not moves_in(answer, "en")


def test_a_hint_counts_once_when_its_email_is_processed_again(
    office: Office, app: Flask, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "LIMITS", True)
    monkeypatch.setitem(app.config["BOUNDS"], "hints", Bound(1, 3600))
    against_bots(office, ada)
    finish, faults = answering._finish, [RuntimeError("It broke.")]

    def fail_once(*given: Any) -> None:
        if faults:
            raise faults.pop()
        finish(*given)

    monkeypatch.setattr(answering, "_finish", fail_once)
    assert moves_in(ada_writes(office, "hint"), "en")
    assert not faults


def test_a_hint_without_an_answer_does_not_count(
    office: Office, app: Flask, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "LIMITS", True)
    monkeypatch.setitem(app.config["BOUNDS"], "hints", Bound(1, 3600))
    monkeypatch.setitem(app.config["BOUNDS"], "answers", Bound(1, 3600))
    monkeypatch.setitem(app.config["BOUNDS"], "answers-daily", Bound(0, 86_400))
    game_id = against_bots(office, ada)
    address = office.mails("ada")[-1].reply_to
    ada_writes(office, "?")
    before = len(office.mails("ada"))
    arrives(address, a_mail("hint"))
    deal_with_mails()
    assert len(office.mails("ada")) == before
    assert hints.hint(game_id, ada, "en")["moves"]


@pytest.mark.parametrize(
    ("behind", "margin", "told"),
    [
        ([0, 0.5, 0.5], 0, ["Among the best.", *["About as good as the first."] * 2]),
        ([0, 1, 1.4], 3.5, ["Among the best.", *["About as good as the first."] * 2]),
        ([0, 1, 30], None, ["Among the best.", "About as good as the first.", ""]),  # the reason says how much
        (
            [0, 0.4, 0.6],
            0,
            ["Among the best.", "About as good as the first.", ""],
        ),
        (
            [0, 2.5, 9],
            1,
            ["The best.", "", ""],
        ),
        ([0], 0, ["The best."]),
    ],
)
def test_a_hint_says_in_the_games_own_unit_how_good_its_moves_are(
    within: None, behind: list[float], margin: float | None, told: list[str]
) -> None:
    moves = [{"behind": by, "margin": margin, "wins": False, "scores_with_then": 0, "why": ""} for by in behind]
    assert how_good(moves, "coins") == told
    assert how_good(moves, "points") == [it.replace("coin", "point") for it in told]


def test_a_hint_says_what_its_line_scores_or_only_that_it_wins(within: None) -> None:
    scoring = {"behind": 0, "margin": 0, "wins": False, "scores_with_then": 8, "why": "You take the lead in Leo."}
    assert how_good([scoring], "points") == ["The best. Scores 8 points. You take the lead in Leo."]
    winning = scoring | {"wins": True, "why": "Wins the game."}
    assert how_good([winning, scoring | {"behind": 0.1}], "points")[0] == "Wins the game."
