"""The handbook: Markdown becomes safe HTML with stable anchors, and everything it names exists."""

import json
import re
from html import unescape

import pytest
from flask import Flask

from server import docs
from server.bots import LEVELS
from server.bots.advice import ONE_TURN_AHEAD, TO_THE_END
from server.cli import main
from server.config import VARIABLES
from server.page import SOURCES
from tests.docs.test_reference import shown
from tests.test_licences import is_packaged

ANCHORS = {  # people link to these: a heading may change, its id stays
    "curl": "the-tour tour the-mailbox a-turn-of-several-steps",
    "email": "what-you-can-write-in-a-reply choose-your-letters",
    "bot": "bot a-token-and-a-game mark lines bot-lines how-it-works",
    "bots": "strength games advice exploitability",
    "clients": "csharp go java python rust typescript what-generators-make-of-it",
    "live": "live try-it how-it-works",
    "recipes": "errors-what-to-try-again-what-to-show calls problem lost-answers lost streams stream webhooks signature time due clock "
    "limits-and-asking-often asking",
    "app": "the-page app how-it-works",
    "fairness": "what-it-proves-and-what-you-must-do-for-it not-proved committed-salts the-archive commitment-and-chance "
    "what-sternenhimmel-draws what-sternenglanz-draws the-chain-of-hashes every-commit-asked-again "
    "an-example-to-test-with example",
    "changes": "what-is-promised",
    "scaling": "one-postgres-any-number-of-webs-and-workers environment installed-for-good dkim-key the-load-balancer nginx "
    "mail limits connections a-pooler replica backups-and-getting-them-back shelf a-new-release what-to-watch citus spread",
    "cost": "a-million-moves where-each-resource-ends a-hundred-times-that-a-plan-on-paper",
    "mail": "a-provider-where-port-25-is-closed postfix-on-a-machine-of-your-own a-mailbox-and-nothing-else "
    "no-way-in-at-all",
}


# Rendering


def test_text_is_escaped_and_raw_html_is_not_rendered() -> None:
    html = docs.render('# T\n\na < b & <script>x</script>\n\n```\n<b> & "c"\n```\n').html
    assert "<script>" not in html
    assert "a &lt; b &amp; &lt;script&gt;" in html
    assert '<pre tabindex="0">&lt;b&gt; &amp; "c"</pre>' in html


def test_a_headings_anchor_is_made_from_its_words_unless_one_is_given() -> None:
    document = docs.render("# The title\n\n## Two `words` here\n\n## Other words {#old-name}\n\n### Third level\n")
    assert document.title == "The title"
    assert document.contents == [("two-words-here", "Two <code>words</code> here"), ("old-name", "Other words")]
    assert '<h2 id="old-name">Other words</h2>' in document.html
    assert '<h3 id="third-level">' in document.html


def test_column_headers_have_a_scope_and_no_style() -> None:
    html = docs.render("# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n").html
    assert html.count('<th scope="col">') == 2
    assert "style=" not in html


def test_links_to_other_documents_lead_to_their_pages() -> None:
    html = docs.render("# T\n\n[a](mail.md) [b](scaling.md#limits) [c](#here) [d](/docs)\n").html
    assert re.findall('href="([^"]*)"', html) == ["/docs/mail", "/docs/scaling#limits", "#here", "/docs"]


def test_an_unknown_value_in_a_document_raises_an_error() -> None:
    with pytest.raises(Exception, match="is undefined"):
        docs.document("bot")


# The documents


def test_the_page_on_bots_says_what_was_measured_and_names_levels_as_the_page_does(app: Flask) -> None:
    text = re.sub(r"<[^>]+>", "", unescape(shown(app, "/docs/bots")))
    assert 'default options: "scenario": 1 in Sternenglanz, "edition": "schloth-en" in Sternenhimmel.' in " ".join(
        text.split()
    )
    words = json.loads(SOURCES["words/en/page.json"][0].read_text("utf-8"))
    for level in LEVELS:
        number, word = re.findall(r"^Level (\d) \((.+)\)$", words[f"opponents.{level}"])[0]
        assert f"level-{number} ({word})" in text
    assert all(it.worlds >= LEVELS["level-6"].worlds for it in (ONE_TURN_AHEAD, TO_THE_END))
    assert list(LEVELS)[-1] == "level-6"


@pytest.mark.parametrize("name", docs.DOCUMENTS)
def test_a_document_keeps_its_anchors(app: Flask, name: str) -> None:
    ids = re.findall(r' id="([^"]+)"', shown(app, f"/docs/{name}"))
    assert len(ids) == len(set(ids))
    assert set(ANCHORS[name].split()) <= set(ids)


def test_every_file_is_a_known_document_and_is_packaged() -> None:
    assert {path.stem for path in docs.FOLDER.glob("*.md")} == set(docs.DOCUMENTS)
    for path in (*docs.FOLDER.glob("*.md"), *docs.FOLDER.glob("clients/*")):
        assert is_packaged(path.relative_to(docs.FOLDER.parent).as_posix()), path


@pytest.mark.parametrize("name", docs.DOCUMENTS)
def test_every_command_and_setting_named_in_the_handbook_exists(app: Flask, name: str) -> None:
    text = unescape(re.sub(r"<[^>]+>", " ", shown(app, f"/docs/{name}").partition("<main>")[2]))
    assert set(re.findall(r"sternenpost ([a-z][a-z-]+)", text)) <= set(main.commands)
    of_options = {str(option.envvar) for command in main.commands.values() for option in command.params}
    assert set(re.findall(r"STERNENPOST_[A-Z_]+", text)) <= {it.name for it in VARIABLES.values()} | of_options


def test_players_find_play_by_email_and_operators_the_mail_server(app: Flask) -> None:
    for path in ("/docs", "/docs/api/moves", "/docs/email", "/docs/mail"):
        [nav] = re.findall(r'<nav class="handbook".*?</nav>', shown(app, path), re.DOTALL)
        links = {words: target for target, words in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', nav)}
        assert (links["Play by email"], links["Mail server"]) == ("/docs/email", "/docs/mail")
        groups = re.findall(r"<span>(For [a-z]+)</span>(.*?)</p>", nav, re.DOTALL)
        assert [name for name, _ in groups] == ["For players", "For programmers", "For operators"]
        assert {f"/docs/{name}" for name in docs.DOCUMENTS} < set(links.values())


def test_the_navigation_marks_the_current_page(app: Flask) -> None:
    for path in ("/docs", "/docs/app", "/docs/email", "/docs/scaling", "/docs/cost", "/docs/desk", "/problems"):
        [nav] = re.findall(r'<nav class="handbook".*?</nav>', app.test_client().get(path).text, re.DOTALL)
        assert re.findall(r'href="([^"]*)" aria-current="page"', nav) == [path]
