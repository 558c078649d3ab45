"""Questions in free words are answered by the topic of the examples that are most similar to them."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from flask import Flask
from flask_babel import force_locale

from server.post.general_answers import general_answer
from server.post.nearest_topics import nearest_topic
from server.translations import LOCALES

EXAMPLES = {it: json.loads((files("server.post") / "questions" / f"{it}.json").read_text("utf-8")) for it in LOCALES}
OTHERS = json.loads(
    (Path(__file__).parent / "questions.json").read_text("utf-8")
)  # written by others than the examples
NOTHING = "none"


def test_most_questions_of_other_people_get_their_topic_and_small_talk_gets_none() -> None:
    found = [(topic, nearest_topic(it)) for topic, said in OTHERS.items() for lines in said.values() for it in lines]
    asked = [(topic, nearest) for topic, nearest in found if topic != NOTHING]
    right = sum(topic == nearest for topic, nearest in asked) / len(asked)
    silent = sum(nearest == "" for _, nearest in asked) / len(asked)
    talk = [nearest for topic, nearest in found if topic == NOTHING]
    assert len(asked) > 500
    assert right > 0.83, right
    assert 1 - right - silent < 0.07, silent
    assert sum(it == "" for it in talk) / len(talk) > 0.9


@pytest.mark.parametrize("locale", LOCALES)
def test_each_language_has_examples_of_each_topic_and_each_topic_an_answer(app: Flask, locale: str) -> None:
    assert set(EXAMPLES[locale]) == set(EXAMPLES["en"]) == set(OTHERS)
    with app.test_request_context(), force_locale(locale):
        for topic in set(EXAMPLES[locale]) - {NOTHING}:
            answer = general_answer(topic)
            assert any(answer), topic
            assert bool(answer.lines) == bool(answer.heading), topic
            assert all(map(str.strip, (*answer.told, *answer.items, *answer.lines)))
    for topic, lines in EXAMPLES[locale].items():
        assert len(set(lines)) >= 10, topic


@pytest.mark.parametrize("text", ["", "?", "7 leo c?", "ok", "Nochmal?", "👍👍👍 ???", "x" * 10_000])
def test_a_text_that_resembles_no_question_has_no_topic(text: str) -> None:
    assert nearest_topic(text) == ""
