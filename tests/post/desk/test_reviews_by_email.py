"""Reviews and hints by email. `review` starts the computation, and later sends the figures and the moves."""

import re
from itertools import count
from typing import Any

import pytest
from flask import Flask

from server.accounts.players import player_at
from server.bots import advice, review
from server.bots.review import Verdict, Worth
from server.bots.search import Seen
from server.games.contract import Effort
from server.games.presentation import move_in_words
from server.play.commits import at_version, load
from server.play.seating.games import open_game
from server.play.turns import reviewing
from server.play.turns.reviewing import review_due
from server.store import desk
from tests.post.desk.writing import DESK, Correspondent
from tests.support.games import BOT, ME, everything_due_happens, moves_on, turn_of, wanted


def test_a_review_that_was_ordered_by_email_is_sent_once_it_is_complete(
    app: Flask, ann: Correspondent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "WORLDS", range(2, 2))
    monkeypatch.setattr(advice, "effort", lambda _: Effort(candidates=1))
    monkeypatch.setitem(app.config, "THINKERS", 1)
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    ann_id = player_at(ann.email)
    assert ann_id is not None
    seats = wanted(ME, BOT, rules="sternenglanz", options={"max_rounds": 2})
    game_id = open_game(ann_id, seats).game_id
    assert desk.numbers(ann_id, [game_id]) == {game_id: 1}
    assert "This game isn't over yet." in ann.asks("review 1").text
    everything_due_happens()
    while turn_of(game_id, ann_id) is not None:
        moves_on(game_id, ann_id)
        everything_due_happens()
    ended = ann.newest
    (begun,) = ann.answers(ended.reply_to, "review")
    assert begun.subject == "We're reviewing your moves: Sternenglanz"
    for answer in (begun, ann.asks("review 1")):  # a second order causes no second email
        said = " ".join(answer.text.split())
        assert re.search(r"moves in Sternenglanz\. We'll email you the review in about \d minutes?\.", said)
    before = len(ann.mails())
    while review_due(lambda: None):
        pass
    (letter,) = ann.mails()[before:]
    assert letter.subject == "Your review: Sternenglanz"
    told = letter.text
    assert "You wrote" not in told and " #" not in told
    assert f"/#/games/{game_id}?review=yes" in told
    assert any(part.get_content_type() == "image/png" for part in letter.message.walk())
    assert ann.asks("review 1").text.partition("Sternenglanz:")[2] == told.partition("Sternenglanz:")[2]
    found, is_complete = reviewing.review(game_id, ann_id, None, "en")
    assert is_complete
    said = " ".join(told.split())
    assert all(it in said for it in found["summary"])
    rules = load(game_id).table.rules
    for it in reviewing.clearly_better(found["moves"]):
        turn = at_version(load(game_id), it["version"]).state.turn
        played = move_in_words(rules, rules.move_from_json(it["move"]), "en")
        assert f"{f'Turn {turn}' if turn else 'Start'}. You: {played}. Better: " in said


@pytest.mark.parametrize(("margin", "most"), [(0.5, 3), (99.0, 0)])
def test_a_review_calls_only_those_moves_better_that_clearly_are(
    app: Flask, ann: Correspondent, monkeypatch: pytest.MonkeyPatch, margin: float, most: int
) -> None:
    monkeypatch.setitem(app.config, "THINKERS", 1)
    gains = count(1)

    def judged(seen: Seen, move: Any, *_: object) -> Verdict:
        return Verdict(Worth(0.0, 1.0), next(it for it in seen.moves if it != move), Worth(float(next(gains)), margin))

    monkeypatch.setattr(reviewing, "verdict", judged)
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    ann_id = player_at(ann.email)
    assert ann_id
    game_id = open_game(ann_id, wanted(ME, BOT, rules="sternenglanz", options={"max_rounds": 2})).game_id
    everything_due_happens()
    while turn_of(game_id, ann_id) is not None:
        moves_on(game_id, ann_id)
        everything_due_happens()
    number = desk.numbers(ann_id, [game_id])[game_id]
    ann.asks(f"review {number}")
    while review_due(lambda: None):
        pass
    told = ann.asks(f"review {number}").text
    lines = re.findall(r"^- .+(?:\n  .+)*", told, re.MULTILINE)
    for line in (" ".join(it.split()) for it in lines):
        assert re.search(r"Better: .+, worth about \d+ points? more", line)
    assert len(lines) >= most and bool(lines) == bool(most)
    assert ("no move that was clearly better" in " ".join(told.split())) is not bool(most)
    assert ("Your costliest move: Turn " in told) is bool(most)


def test_the_answer_to_play_says_how_to_get_a_hint(ann: Correspondent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "effort", lambda _: Effort(worlds=1, candidates=4))
    (hello,) = ann.sends(DESK, "Hello")
    ann.answers(hello.reply_to, "name Ann")
    line = re.search(r'best\s+moves,\s+reply\s+"(\w+)"', ann.asks("play sternenhimmel start_seat=0").text)
    (turn,) = [mail for mail in ann.mails() if mail.subject.startswith("Your turn")]
    assert line
    (answer,) = ann.answers(turn.reply_to, line[1])
    assert re.search(r"^(The best|Among the best)", answer.text, re.MULTILINE)
