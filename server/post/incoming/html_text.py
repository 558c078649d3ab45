"""The HTML of a mail from outside as lines of text, those that quote another mail marked.

The standard library's HTMLParser takes quadratic time for tags without an end, so tags are found here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

DEEPEST = 1000
STRUCK = "~"  # around what is struck out, because it is no longer what it was


class Line(NamedTuple):
    """A line as its reader sees it, and whether it is marked as somebody else's words."""

    quoted: bool
    text: str


class TooNested(Exception):
    """More elements within each other than anybody writes."""


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"(/?)([a-z][a-z0-9:-]*)(.*)", re.DOTALL | re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?""")
_LONGEST_TAG = 4000
_RAW = re.compile("script|style|title|textarea")  # in which < begins nothing
_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_UNSEEN = re.compile("head|title|style|script|template|select|textarea|object|svg|math|iframe|noscript")
_STRUCK = re.compile("s|strike|del")
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|center|d[dlt]|div|fieldset|figure|footer|form|h[1-6r]|header|html|li|main|nav"
    "|[ou]l|p|pre|section|table|t[dhr]|tbody|tfoot|thead"
)
_QUOTES = {  # classes and ids, in lower case, by which mail programs mark what they quote
    *("gmail_quote", "gmail_attr", "gmail_extra"),
    *("moz-cite-prefix", "moz-forward-container", "moz-email-headers-table"),
    *("yahoo_quoted", "protonmail_quote", "tutanota_quote", "zmail_extra", "zmail_extra_hr", "ydp_quoted"),
    *("outlookmessageheader", "ms-outlook-mobile-reference-message", "mail-editor-reference-message-container"),
    *("quote", "replyforwardmessage", "cm_quote", "ox-reply", "isforwardcontent", "isreplycontent"),
}
_REST_IS_QUOTED = {"appendonsend", "divrplyfwdmsg", "stopspelling", "orm", "reply-intro"}  # marks without an end
_SIGNATURES = {
    *("gmail_signature", "moz-signature", "protonmail_signature_block", "ms-outlook-mobile-signature"),
    *("signature", "applemailsignature", "ydp-signature"),
}
_HIDING = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all|color\s*:\s*transparent"
    r"|(?:font-size|opacity|max-height)\s*:\s*0(?:\.0*)?(?![.\d]))"
)
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_SELECTED = re.compile(r"[.#]?[\w-]+\Z")
_LONGEST_NAME = 100


class _Open(NamedTuple):
    """An element that has begun, and what that means for the text in it."""

    tag: str
    effects: frozenset[str]  # of "quoted", "unseen", "struck", "pre"


def lines_of_page(page: str) -> list[Line]:
    """The lines that a reader of this page sees. Raises TooNested."""
    reader = _Reader(dict(_styled(page)))
    page = _COMMENT.sub("", page)
    place = 0
    while (start := page.find("<", place)) >= 0 and (end := page.find(">", start)) >= 0:
        tag = _TAG.fullmatch(page, start + 1, min(end, start + _LONGEST_TAG))
        if tag or page[start + 1] in "!?/":
            reader.text(page[place:start])
            place = end + 1
            if tag:
                name = tag[2].lower()
                reader.end(name) if tag[1] else reader.begin(name, _attributes(tag[3]))
                if not tag[1] and _RAW.fullmatch(name):
                    ending = re.compile(f"</{name}", re.IGNORECASE).search(page, place)
                    place = ending.start() if ending else len(page)
        else:
            reader.text(page[place : start + 1])
            place = start + 1
    reader.text(page[place:])
    reader.end_line()
    return reader.lines


def _attributes(text: str) -> dict[str, str]:
    """In lower case: all that is asked of them is by which program they are."""
    return {name.lower(): unescape(one or two or bare).lower() for name, one, two, bare in _ATTRIBUTE.findall(text)}


def _styled(page: str) -> Iterator[tuple[str, frozenset[str]]]:
    """What style sheets do to elements, by the last tag, .class or #id of a selector.

    All that is asked is what they hide or strike out: too much of it has a line asked about that was in sight.
    """
    place, page = 0, page.lower()
    while (start := page.find("<style", place)) >= 0 and (end := page.find("</style", start)) >= 0:
        place = end
        for rule in _CSS_COMMENT.sub("", page[page.find(">", start, end) + 1 : end]).split("}"):
            outer, _, style = rule.rpartition("{")
            if effects := frozenset(_effects_of(style)):
                selectors = outer.rpartition("{")[2].split(",")
                names = (_SELECTED.search(it.rstrip()[-_LONGEST_NAME:]) for it in selectors)
                yield from ((name[0], effects) for name in names if name)


class _Reader:
    def __init__(self, styled: Mapping[str, frozenset[str]]) -> None:
        self._styled = styled
        self.lines: list[Line] = []
        self._open: list[_Open] = []
        self._tags: Counter[str] = Counter()  # of the open elements
        self._effects: Counter[str] = Counter()
        self._words: list[str] = []
        self._rest_is_quoted = False

    def begin(self, tag: str, values: Mapping[str, str]) -> None:
        if tag == "br" or _BLOCK.fullmatch(tag):
            self.end_line(tag == "br")
        if tag == "p":
            self._gap()
        marks = {*values.get("class", "").split(), values.get("id", ""), values.get("name", "")}
        marks = {mark.removeprefix("x_") for mark in marks}  # Outlook's, once it has been quoted
        if marks & _REST_IS_QUOTED:
            self._rest_is_quoted = True
        if not _VOID.fullmatch(tag):
            names = [tag, f"#{values.get('id', '')}", *(f".{name}" for name in values.get("class", "").split())]
            by_sheet = (self._styled[name] for name in names if name in self._styled)
            self._push(_Open(tag, frozenset(_effects(tag, values, marks)).union(*by_sheet)))

    def _push(self, element: _Open) -> None:
        self._open.append(element)
        if len(self._open) > DEEPEST:
            raise TooNested
        self._tags[element.tag] += 1
        self._effects.update(element.effects)

    def end(self, tag: str) -> None:
        if self._tags[tag]:
            if _BLOCK.fullmatch(tag):
                self.end_line()
            while self._pop() != tag:
                pass
        if tag == "p":
            self._gap()

    def _pop(self) -> str:
        tag, effects = self._open.pop()
        self._tags[tag] -= 1
        self._effects.subtract(effects)
        return tag

    def text(self, data: str) -> None:
        data = unescape(data)
        if self._effects["unseen"]:
            return
        if self._effects["pre"]:
            first, *others = re.split("\r\n|\r|\n", data)
            self._add(first)
            for line in others:
                self.end_line(True)
                self._add(line)
        else:
            self._add(re.sub(r"[ \t\r\n\f]+", " ", data))

    def _add(self, words: str) -> None:
        self._words.append(f"{STRUCK}{words}{STRUCK}" if self._effects["struck"] and words.strip() else words)

    def end_line(self, even_empty: bool = False) -> None:
        text = "".join(self._words).strip(" ")
        self._words.clear()
        if text or even_empty:
            self.lines.append(Line(self._rest_is_quoted or self._effects["quoted"] > 0, text))

    def _gap(self) -> None:
        if self.lines and self.lines[-1].text:
            self.end_line(True)


def _effects(tag: str, values: Mapping[str, str], marks: set[str]) -> Iterator[str]:
    if tag == "blockquote" or marks & _QUOTES:
        yield "quoted"
    if _UNSEEN.fullmatch(tag) or "hidden" in values or marks & _SIGNATURES:
        yield "unseen"
    if _STRUCK.fullmatch(tag):
        yield "struck"
    if tag == "pre":
        yield "pre"
    yield from _effects_of(values.get("style", ""))


def _effects_of(style: str) -> Iterator[str]:
    if _HIDING.search(style):
        yield "unseen"
    if any("text-decoration" in declaration and "line-through" in declaration for declaration in style.split(";")):
        yield "struck"
