"""The API reference: every call, small pages, links that lead somewhere, and code that runs."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from urllib.parse import urlsplit

import pytest
from flask import Flask

from server.docs import DOCUMENTS
from server.games import Json
from tests.support.api_calls import first_move
from tests.support.contract import Someone, opened
from tests.support.games import BOT, ME
from tests.support.web_servers import serve

PRE = re.compile(r"(?s)<pre[^>]*>(.*?)</pre>")
EXAMPLE = re.compile(r'(?s)<pre tabindex="0" class="example">(.*?)</pre>')
CALL = re.compile(r'(?s)<h2 id="(\w+)">(.*?)</section>')


def document_of(app: Flask) -> Json:
    document: Json = app.extensions["document"].document
    return document


def operations_of(app: Flask) -> list[tuple[str, str, Json]]:
    document = document_of(app)
    items = [*document["paths"].items(), *document["webhooks"].items()]
    return [(path, method.upper(), it) for path, item in items for method, it in item.items() if method != "parameters"]


HANDBOOK = [f"/docs/{name}" for name in DOCUMENTS]


def paths_of(app: Flask) -> list[str]:
    groups = [tag["name"] for tag in document_of(app)["tags"]]
    return ["/docs", "/docs/api/schemas", *(f"/docs/api/{name}" for name in groups)]


def shown(app: Flask, path: str) -> str:
    response = app.test_client().get(path)
    assert response.status_code == 200, path
    return response.text


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


# What is shown


def test_the_start_page_leads_authors_of_front_ends_to_every_call_they_need(app: Flask) -> None:
    section = shown(app, "/docs").partition('<h2 id="front-end">')[2].partition("<h2")[0]
    links = [urlsplit(link) for link in re.findall(r'href="([^"]*)"', section)]
    assert {it.fragment for it in links} >= {"getGame", "getLegalMoves", "playMove", "followGame", "makeStreamTicket"}
    assert {it.path for it in links} >= {"/docs/live", "/docs/app", "/docs/recipes", "/problems"}
    for it in links:
        target = shown(app, it.path)
        assert not it.fragment or f'id="{it.fragment}"' in target, it
    assert "python3 -m server up" in section


def test_the_start_page_lists_every_call(app: Flask) -> None:
    page = shown(app, "/docs").partition('id="calls"')[2]
    for path, method, operation in operations_of(app):
        address = f"/docs/api/{operation['tags'][0]}#{operation['operationId']}"
        link = re.search(rf'<a href="{re.escape(address)}">(.*?)</a>', page)
        assert link, address
        assert words_of(link[1]) == f"{method} {path} {operation['summary']}"


def test_a_group_describes_every_call_with_parameters_responses_and_problems(app: Flask) -> None:
    pages = {path: dict(CALL.findall(shown(app, path))) for path in paths_of(app)}
    for path, method, operation in operations_of(app):
        call = pages[f"/docs/api/{operation['tags'][0]}"][operation["operationId"]]
        text = words_of(call)
        assert f"{operation['summary']} {method} {path} {operation['operationId']}" in text
        for parameter in operation["parameters"]:
            assert f"<code>{parameter['name']}</code>" in call
        for status, response in operation["responses"].items():
            assert f"{status} " in text
            for code in response.get("$ref", "").rpartition("/")[2].split("."):
                assert not code or f'href="/problems/{code}"' in call
        languages = re.findall(r'data-language="(\w+)"', call)
        assert languages == (["curl", "Python", "JavaScript"] if path.startswith("/") else [])


def test_schemas_have_all_properties(app: Flask) -> None:
    page = dict(CALL.findall(shown(app, "/docs/api/schemas")))
    schemas = document_of(app)["components"]["schemas"]
    assert page.keys() == schemas.keys()
    for name, schema in schemas.items():
        assert set(re.findall(r"<td><code>([\w-]+)</code> <small>", page[name])) == set(schema.get("properties", ()))
        for member in schema.get("oneOf", ()):
            assert f'href="#{member["$ref"].rpartition("/")[2]}"' in page[name]


def test_examples_match_the_document(app: Flask) -> None:
    pages = {path: dict(CALL.findall(shown(app, path))) for path in paths_of(app)}
    for _, _, operation in operations_of(app):
        call = pages[f"/docs/api/{operation['tags'][0]}"][operation["operationId"]]
        found = [json.loads(unescape(it)) for it in EXAMPLE.findall(call)]
        bodies = [operation.get("requestBody", {}), *(it for _, it in sorted(operation["responses"].items()))]
        examples = [
            it
            for body in bodies
            for content in body.get("content", {}).values()
            for it in content.get("examples", {}).values()
        ]
        assert found == [it["value"] for it in examples], operation["operationId"]


def test_every_link_leads_to_an_existing_page_and_to_a_place_on_that_page(app: Flask) -> None:
    pages = {path: shown(app, path) for path in [*paths_of(app), *HANDBOOK]}
    links = {
        (urlsplit(it).path or here, urlsplit(it).fragment)
        for here, page in pages.items()
        for it in re.findall('href="([^"]*)"', page)
        if "://" not in it
    }
    assert len(links) > 400
    for path, place in sorted(links):
        if path not in pages:
            pages[path] = shown(app, path)
        assert not place or f'id="{place}"' in pages[path], (path, place)


def test_ids_are_unique_and_old_links_still_lead_to_the_call(app: Flask) -> None:
    for path in paths_of(app):
        ids = re.findall(r' id="([^"]+)"', shown(app, path))
        assert len(ids) == len(set(ids))
    assert 'id="post-/v1/games/-game_id-/moves"' in shown(app, "/docs")


def test_a_description_links_the_schema_that_it_names(app: Flask) -> None:
    page = shown(app, "/docs/api/moves")
    assert all(f'schema <a href="/docs/api/schemas#{it}">{it}</a>' in page for it in ("Foresight", "MoveAnswer"))


def frames_of(stream: str) -> dict[str, Json]:
    """The data of the last event of each name."""
    blocks = [dict(line.split(": ", 1) for line in it.split("\n") if ": " in line) for it in stream.split("\n\n")]
    return {it.get("event", "message"): json.loads(it["data"]) for it in blocks if "data" in it}


def test_the_sample_of_a_stream_has_every_event_with_the_fields_that_the_server_sends(app: Flask, ada: Someone) -> None:
    document = document_of(app)
    described = document["paths"]["/v1/games/{game_id}/stream"]["get"]["description"]
    sample = frames_of(re.findall(r"```text\n(.*?)```", described, re.DOTALL)[0])
    schemas = document["components"]["schemas"]
    properties = [schemas[it["$ref"].rpartition("/")[2]]["properties"] for it in schemas["Streamed"]["oneOf"]]
    of_name = {it.get("event", {"const": "message"})["const"]: it["data"]["contentSchema"] for it in properties}
    assert sample.keys() == of_name.keys()
    assert all(sample[name].keys() == of_name[name].get("properties", {}).keys() for name in ("present", "changed"))

    path = opened(ada, ME, BOT, BOT)
    ada.post(f"{path}/messages", {"text": "Good luck!"})
    ada.post(f"{path}/moves", first_move(ada, path))
    sent = frames_of(ada.get(f"{path}/stream?after=99", headers={"Accept": "text/event-stream"}).text)
    assert sent["message"]["type"] == "star-placed"
    assert {name: it.keys() for name, it in sent.items()} == {name: sample[name].keys() for name in sent}
    assert sent.keys() == {"message", "said", "reset"}


def test_the_reference_names_the_fields_of_each_event_in_a_stream(app: Flask) -> None:
    words = words_of(shown(app, "/docs/api/streams"))
    assert "JSON text of an object with seats array of integer" in words
    assert "JSON text of an object with game string (uuid), newest integer" in words


# How it is sent


def test_pages_are_small_and_unchanged_ones_are_not_sent_again(app: Flask) -> None:
    client = app.test_client()
    for path in paths_of(app):
        packed = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert packed.content_encoding == "gzip"
        assert len(packed.data) < (40_000 if path == "/docs" else 60_000), path
        conditional = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
        assert client.get(path, headers=conditional).status_code == 304
    assert len(client.get("/static/docs.js").data) < 4_000


def test_the_search_finds_calls_fields_problems_schemas_and_words_of_the_handbook(app: Flask) -> None:
    client = app.test_client()
    packed = client.get("/docs/search.js", headers={"Accept-Encoding": "gzip"})
    assert packed.content_encoding == "gzip"
    assert len(packed.data) < 50_000
    text = client.get("/docs/search.js").text
    index = json.loads(text.removeprefix("export default ").removesuffix(";"))
    places = {href: f"{title} {words}".lower() for href, title, words in index}
    assert len(places) == len(index)
    pages = {path: shown(app, path) for path in {urlsplit(href).path for href in places}}
    for href in places:
        found = urlsplit(href)
        assert not found.fragment or f'id="{found.fragment}"' in pages[found.path], href
    for href, words in (
        ("/docs/api/moves#playMove", "post /v1/games/{game_id}/moves dry_run would foresee"),
        ("/docs/api/webhooks#makeWebhook", "makewebhook kinds secret"),
        ("/docs/bot#lines", "without http"),
        ("/problems/stale-turn", "stale-turn"),
        ("/docs/api/schemas#Foresight", "schema foresight"),
    ):
        assert all(word in places[href] for word in words.split()), href
    for words in ("cors", "password", "rate limit", "discord"):
        assert any(all(word in text for word in words.split()) for text in places.values()), words


def test_every_page_of_the_handbook_has_the_search_and_loads_its_index_later(app: Flask) -> None:
    for path in [*paths_of(app), *HANDBOOK, "/docs/desk", "/problems", "/problems/stale-turn"]:
        page = shown(app, path)
        assert page.count('role="search"') == 1 and "/static/handbook.js" in page and "search.js" not in page, path


def test_the_schemas_begin_with_a_list_of_their_names(app: Flask) -> None:
    page = shown(app, "/docs/api/schemas")
    names = re.findall(r'<a href="#(\w+)">\1</a>', page.partition('<section class="call">')[0])
    assert names == list(document_of(app)["components"]["schemas"])


def test_webhooks_and_their_payloads_lead_to_each_other(app: Flask) -> None:
    assert '<a href="/docs/api/payloads">' in shown(app, "/docs/api/webhooks").partition("<main>")[2]
    assert 'href="/docs/api/webhooks#makeWebhook"' in shown(app, "/docs/api/payloads").partition("<main>")[2]


def test_pages_work_without_scripts_and_run_only_their_own(app: Flask) -> None:
    for path in [*paths_of(app), *HANDBOOK]:
        response = app.test_client().get(path)
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert not re.search(r"(?i) style=| on\w+=|<style|<script(?! src=\"/static/)", response.text)
        assert not re.search(r'(?:src|<link[^>]* href)="(?!/)', response.text)


def test_an_unknown_group_is_not_found(app: Flask) -> None:
    assert app.test_client().get("/docs/api/none").status_code == 404


# The code


@pytest.fixture
def url(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a running server, in a reference that no earlier test has rendered for another address."""
    with serve(app) as url:
        monkeypatch.setitem(app.config, "BASE_URL", url)
        for name in ("reference", "reference_pages"):
            app.extensions.pop(name, None)
        yield url
        for name in ("reference", "reference_pages"):
            app.extensions.pop(name, None)


COMMANDS = {
    "curl": ["bash", "-c"],
    "Python": [sys.executable, "-c"],
    "JavaScript": ["node", "--input-type=module", "-e"],
}


def output(language: str, code: str, **environment: str) -> str:
    command = [*COMMANDS[language], code]
    environment["PATH"] = os.environ["PATH"]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("language", COMMANDS)
def test_code_examples_run_as_they_are_printed(app: Flask, ada: Someone, url: str, language: str) -> None:
    if shutil.which(COMMANDS[language][0]) is None:
        pytest.skip(f"{COMMANDS[language][0]} is not installed")
    game = opened(ada, ME, BOT, BOT).rpartition("/")[2]

    def run(group: str, call: str) -> str:
        section = dict(CALL.findall(shown(app, f"/docs/api/{group}")))[call]
        found = re.search(rf'(?s)data-language="{language}".*?</details>', section)
        assert found
        code = unescape(PRE.findall(found[0])[0])
        return output(language, code, TOKEN=str(ada.token), GAME_ID=game)

    assert "A clear night" in run("games", "openGame")
    assert game in run("games", "getGame")
    assert "Europe/Berlin" in run("players", "changeProfile")
    assert "Good evening, and clear skies!" in run("games", "say")
    assert run("players", "revokeToken").strip() == ("" if language == "curl" else "204")


def test_bodies_in_python_match_the_examples(app: Flask) -> None:
    groups = app.extensions["reference"].groups if shown(app, "/docs") else {}
    found = 0
    for call in (call for group in groups.values() for call in group.calls if call.snippets and call.body):
        code = dict(call.snippets)["Python"].partition("data=json.dumps(")[2].rpartition(").encode()")[0]
        assert ast.literal_eval(code) == json.loads(call.body.examples[0][1])
        found += 1
    assert found > 20


def test_pasting_the_first_commands_plays_a_move(app: Flask, url: str) -> None:
    commands = "\n".join(unescape(it) for it in PRE.findall(shown(app, "/docs")))
    move, answer = output("curl", commands).splitlines()
    (event,) = json.loads(answer)["events"]
    assert event["type"] == "star-placed"
    assert json.loads(move).items() <= event.items()
