"""The chat of a table: authors, order and sanitizing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN


def said(who: Someone, path: str, text: str) -> str:
    """The text as everybody reads it."""
    answer = who.post(f"{path}/messages", {"text": text})
    assert answer.status_code == 201, answer.text
    assert answer.json in who.get(f"{path}/messages").json["items"]
    return answer.json["text"]


# Who may


def test_seated_players_can_chat_before_during_and_after_the_game(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, BOT)
    said(ada, path, "Anybody?")
    bea.post(f"{path}/seats")
    said(bea, path, "Here I am.")
    for who in (ada, bea):
        who.post(f"{path}/votes", {"on": "abandon"})
    said(ada, path, "Good night.")


def test_players_replaced_by_a_bot_can_chat(bea: Someone, game: str) -> None:
    bea.delete(f"{game}/seats/me")
    assert said(bea, game, "My train is late.")


def test_spectators_can_read_the_chat(app: Flask, ada: Someone, game: str) -> None:
    cyd, stranger = Someone(app, "cyd"), Someone(app)
    said(ada, game, "Hello!")
    for who in (cyd, stranger):
        assert who.get(f"{game}/messages").json["items"][0]["text"] == "Hello!"
    is_problem(cyd.post(f"{game}/messages", {"text": "Hello!"}), 403, "not-seated")


def test_a_message_shows_its_authors_current_name(ada: Someone, bea: Someone, game: str) -> None:
    said(bea, game, "Hello!")
    bea.patch("/v1/me", {"name": "Beatrix"})
    bea.delete(f"{game}/seats/me")
    (message,) = ada.get(f"{game}/messages").json["items"]
    assert (message["seat"], message["name"]) == (1, "Beatrix")


# Order


def test_simultaneous_messages_are_numbered_without_gaps_or_duplicates(app: Flask, ada: Someone, game: str) -> None:
    def say(number: int) -> int:
        answer = Someone(app, token=ada.token).post(f"{game}/messages", {"text": f"Word {number}"})
        return int(answer.json["nr"])

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(say, range(24)))
    assert sorted(numbers) == [*range(1, 25)]
    heard = ada.get(f"{game}/messages").json["items"]
    assert [message["nr"] for message in heard] == sorted(numbers)
    assert [message["at"] for message in heard] == sorted(message["at"] for message in heard)


# What others read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("  two\r\nlines  ", "two\nlines"),
        ("one\u2028two\u2029three\x85four\x0bfive\x0csix", "one\ntwo\nthree\nfour\nfive\nsix"),
        ("right\u202eto\u2066left\u200f", "righttoleft"),
        ("bell\x07 escape\x1b[31m tab\there", "bell escape[31m tab here"),
        ("soft\u00adhyphen zero\u200bwidth\ufeff", "softhyphen zerowidth"),
        ("e\u0301t\u00e9 \U0001f30c \u05e9\u05dc\u05d5\u05dd", "e\u0301t\u00e9 \U0001f30c \u05e9\u05dc\u05d5\u05dd"),
        ("Z" + "\u0353\u0310" * 500 + "algo", "Z" + "\u0353\u0310\u0353" + "algo"),
        ("a\n\n\n\n\n\n\n\nb", "a\n\nb"),
        ("a\n\u0301\u0302\nb", "a\n\nb"),
        ("<b>&amp;</b> [x](javascript:1)", "<b>&amp;</b> [x](javascript:1)"),
    ],
)
def test_a_message_is_sanitized(ada: Someone, game: str, text: str, read: str) -> None:
    assert said(ada, game, text) == read


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u2800\u3164", "\u202e\u2066", "\u0301\u0353"])
def test_an_invisible_message_is_rejected(ada: Someone, game: str, text: str) -> None:
    answer = ada.post(f"{game}/messages", {"text": text})
    is_problem(answer, 422, "invalid-field" if text else "invalid-fields")
    assert ada.get(f"{game}/messages").json["items"] == []


def test_a_message_of_the_maximum_length_is_stored_in_full(ada: Someone, game: str) -> None:
    assert said(ada, game, "\U0001f30c" * 2000) == "\U0001f30c" * 2000
    is_problem(ada.post(f"{game}/messages", {"text": "x" * 2001}), 422, "invalid-fields")
