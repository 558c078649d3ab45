"""The handbook page of the post desk, which is made from the list of commands."""

import re
from html import unescape

import pytest
from flask import Flask

from server.post.desk.commands import COMMANDS
from server.post.desk.reading import example_of
from server.post.incoming.commands import COMMANDS as AT_TABLES
from server.post.incoming.commands import CONFIRM, word_for
from server.translations import LOCALES


@pytest.mark.parametrize("locale", LOCALES)
def test_the_page_lists_every_command_in_the_readers_language(
    app: Flask, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    monkeypatch.setitem(app.config, "DESK_ADDRESS", "post@stars.example")
    page = unescape(app.test_client().get("/docs/desk", headers={"Accept-Language": locale}).text)
    assert f'lang="{locale}"' in page
    assert "mailto:post@stars.example" in page
    for it in COMMANDS:
        assert f"<code>{example_of(it.name, locale)}</code>" in page
    for command in set(AT_TABLES) - {CONFIRM}:
        assert re.search(rf"<td><code>{re.escape(word_for(command, locale))}[ <]", page), command


def test_the_handbook_and_the_landing_page_give_the_address_of_the_post_desk(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "DESK_ADDRESS", "post@stars.example")
    client = app.test_client()
    assert 'href="/docs/desk"' in client.get("/docs").text
    assert '<meta name="desk" content="post@stars.example">' in client.get("/").text
