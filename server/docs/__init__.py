"""The handbook: Markdown files beside this module, rendered to HTML.

Jinja fills in values before the Markdown is parsed. `## Words {#name}` and a code block that begins with ```` ```python
{#name} ```` give an element its id. All other headings get an id made from their text. Links to `other.md#name` lead to
`/docs/other#name`.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

FOLDER = Path(__file__).parent
# In reading order, each with its purpose.
DOCUMENTS = {
    "curl": "from sign-in to a reply by email, in a sandbox",
    "email": "what you can write in a reply, and which emails you get",
    "bot": "a program that plays both games, over HTTP or with lines of JSON",
    "bots": "how strong each level is, hints and reviews, and games as open data",
    "clients": "in six languages, and test results for each client generator",
    "live": "a live table in one file that you can host anywhere",
    "recipes": "errors, retries, streams, time, lists and limits",
    "app": "OAuth 2.1 in one file",
    "fairness": "seeds, salts, archives, and how to write a checker",
    "changes": "what stays compatible, and what is new in each version",
    "scaling": "for operators: processes, backups, releases and monitoring",
    "cost": "for operators: CPU, traffic, emails and money, and the limit of each resource",
    "mail": "for operators: four ways to send emails and receive replies",
}
_NAMED = re.compile(r"(?<!\s)\s*\{#([\w-]+)\}$")
_LINK = re.compile(r"(\w+)\.md(#.*)?")


class Document(NamedTuple):
    title: str
    contents: list[tuple[str, str]]  # of each section, the id and the heading as HTML
    html: str


class Strength(NamedTuple):
    """Results of a bot against another bot, in every seat of the same deals. `wins` is the share of games won, and
    `low` to `high` is the 95% confidence interval (Wilson). `lead`: points above the average of the table."""

    rules: str
    seats: int
    bot: str
    against: str
    wins: float
    low: float
    high: float
    lead: float
    games: int
    milliseconds: int  # CPU time per move
    deals_won: float
    deals_low: float
    deals_high: float

    def to_json(self) -> dict[str, Any]:
        """Return these figures as in `GET /v1/rules/{name}`."""
        return {name: value for name, value in self._asdict().items() if name not in ("rules", "lead")}


@cache
def strengths() -> list[Strength]:
    """Return the table that `python -m tests.bench.strength` has printed."""
    rows = (FOLDER / "strength.txt").read_text("utf-8").splitlines()[2:]
    return [_strength(*(cell.strip() for cell in row.strip("|").split("|"))) for row in rows]


def _strength(rules: str, seats: str, bot: str, against: str, *figures: str) -> Strength:
    wins, low, high, lead, games, milliseconds, *deals = map(float, figures)
    return Strength(rules, int(seats), bot, against, wins, low, high, lead, int(games), int(milliseconds), *deals)


def title(name: str) -> str:
    """Return the title of a document, which is its first line."""
    with (FOLDER / f"{name}.md").open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip()


def document(name: str, **values: Any) -> Document:
    return render(_TEMPLATES.get_template(f"{name}.md").render(values))


@lru_cache(maxsize=64)
def render(markdown: str) -> Document:
    """Render Markdown that begins with its title."""
    first, _, text = markdown.partition("\n")
    env: EnvType = {"contents": []}
    html = _MARKDOWN.render(text, env)
    return Document(first.removeprefix("# ").strip(), env["contents"], html)


def html(markdown: str) -> str:
    """Render Markdown that has no title."""
    return str(_MARKDOWN.render(markdown, {"contents": []}))


def html_in_line(markdown: str) -> str:
    """Render Markdown without a paragraph around it."""
    return str(_MARKDOWN.renderInline(markdown, {"contents": []}))


class _Renderer(RendererHTML):
    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        words = tokens[index + 1]
        last = (words.children or [words])[-1]
        named = _NAMED.search(last.content)
        last.content = _NAMED.sub("", last.content)
        said = self.renderInline(words.children or [], options, env)
        name = named[1] if named else re.sub(r"\W+", "-", re.sub(r"<[^<>]+>", "", said).lower()).strip("-")
        if tokens[index].tag == "h2":
            env["contents"].append((name, said))
        return f'<{tokens[index].tag} id="{name}">'

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        """Render a code block that can be scrolled with the keyboard."""
        named = _NAMED.search(" " + tokens[index].info)
        tokens[index].attrSet("tabindex", "0")
        if named:
            tokens[index].attrSet("id", named[1])
        return f"<pre{self.renderAttrs(tokens[index])}>{escape(tokens[index].content.rstrip(), quote=False)}</pre>\n"

    def th_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return '<th scope="col">'

    def link_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        if found := _LINK.fullmatch(str(tokens[index].attrGet("href"))):
            tokens[index].attrSet("href", f"/docs/{found[1]}{found[2] or ''}")
        return self.renderToken(tokens, index, options, env)


_MARKDOWN = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
_TEMPLATES = Environment(  # Jinja's usual comments begin with `{#`, as the names of headings do
    loader=FileSystemLoader(FOLDER),
    undefined=StrictUndefined,
    autoescape=False,
    comment_start_string="<!--",
    comment_end_string="-->",
    trim_blocks=True,
    lstrip_blocks=True,
)
