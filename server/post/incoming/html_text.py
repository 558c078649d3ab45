"""Converts HTML in emails, which is untrusted, to lines of text in which quotes are marked.

Tags are parsed here, since the standard library's HTMLParser takes quadratic time for unclosed tags.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

DEEPEST = 1000
STRUCK = "~"  # put around struck-out text, so that the text can't be a move


class Line(NamedTuple):
    """A visible line of an HTML page."""

    quoted: bool
    text: str
    signs: bool = False  # whether the line is part of a signature


class TooNested(Exception):
    """The error for an HTML page whose elements are nested too deeply."""


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"(/?)([a-z][a-z0-9:-]*)(.*)", re.DOTALL | re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?""")
_LONGEST_TAG = 4000
_RAW = re.compile("script|style|title|textarea")  # these elements contain no tags
_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_UNSEEN = re.compile(
    "head|title|style|script|template|select|textarea|object|svg|math|iframe|noscript|video|audio|canvas|datalist|xml|rp|rt|applet|map"
)
_STRUCK = re.compile("s|strike|del|q")  # <q> isn't the writer's own text either
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|center|d[dlt]|div|fieldset|figure|footer|form|h[1-6r]|header|html|li|main|nav"
    "|[ou]l|p|pre|section|table|t[dhr]|tbody|tfoot|thead"
)
_QUOTES = {  # classes and ids, in lower case, with which mail programs mark quotes
    *("gmail_quote", "gmail_attr", "gmail_extra"),
    *("moz-cite-prefix", "moz-forward-container", "moz-email-headers-table"),
    *(
        "yahoo-quoted-begin",
        "iosymail",
        "k9mail",
        "bloop_original_html",
        "aqm-original",
        "canaryblockquote",
        "edo-original",
    ),
    *("messagereplysection", "rps_quote", "missive_quote", "front-blockquote", "hey_quote", "tb_quote", "oex-quote"),
    *("yahoo_quoted", "protonmail_quote", "tutanota_quote", "zmail_extra", "zmail_extra_hr", "ydp_quoted"),
    *("outlookmessageheader", "ms-outlook-mobile-reference-message", "mail-editor-reference-message-container"),
    *("quote", "replyforwardmessage", "cm_quote", "ox-reply", "isforwardcontent", "isreplycontent"),
}
_REST_IS_QUOTED = {"appendonsend", "divrplyfwdmsg", "stopspelling", "orm", "reply-intro"}  # a quote begins here
_SIGNATURES = {  # in addition to all names that contain "signature"
    *("bloop_sign", "canarysig", "aqm-sig", "missive_sign", "cm_sign", "sig", "nine_sig", "divsig", "mailbirdsig"),
}
_SIGNATURE_BEGINS = {"linebreakatbeginningofsignature"}  # Apple: the next block is a signature
_HIDING = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all|color\s*:\s*transparent"
    r"|(?:font-size|line-height|opacity|zoom|(?:max-)?(?:height|width))\s*:\s*0(?:\.0*)?(?![.\d])|font-size\s*:\s*[01](?:\.\d{0,9})?(?:px|pt)"
    r"|opacity\s*:\s*0?\.0\d|(?:text-indent|left|right|top|bottom|margin-(?:left|top))\s*:\s*-\d{3}|clip\s*:\s*rect\(\s*0"
    r"|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)|transform\s*:\s*scale[xy]?\(\s*0(?![.\d]))"
)
_COLOUR = re.compile(
    r"(?:^|[;\s])(background(?:-color)?|color)\s*:(?:[^;#()\w]|[\w-]{1,30} ){0,9}?(#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([\d\s,./%a-z]{0,40}\)"
    r"|(?:floral|ghost|navajo)?white(?:smoke)?|snow|ivory|black|red|blue|green|navy|gr[ae]y|silver|yellow|orange)(?![\w-])"
)
_URL = re.compile(r"url\([^()]{0,1000}\)")
_WHITE = "#ffffff"
_NEARLY_WHITE = re.compile("#(?:f[0-9a-f]){3}|.*white.*|snow|ivory")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_SELECTED = re.compile(r"(?:[.#]|(?<![\w-]))[\w-]{1,100}\Z")
_LONGEST_NAME = 100
_TOO_LARGE = re.compile(r"&#(?:[0-9]{8,}+|[xX][0-9a-fA-F]{7,}+);?")  # a reference beyond Unicode


class _Open(NamedTuple):
    """An element that is open, with its effects on the text in it."""

    tag: str
    effects: frozenset[str]  # some of "quoted", "signs", "unseen", "struck" and "pre"
    ink: str  # text colour
    paper: str  # background colour


def lines_of_page(page: str) -> list[Line]:
    """Return the visible lines of an HTML page. Raise TooNested if its elements are nested too deeply."""
    reader = _Reader(dict(_styled(page)))
    page = _COMMENT.sub("", page)
    place, end = 0, -1
    while (start := page.find("<", place)) >= 0:
        if end < start and (end := page.find(">", start)) < 0:
            break
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
    """Return the attributes in lower case, which is sufficient to recognize mail programs."""
    return {name.lower(): _unescaped(one or two or bare).lower() for name, one, two, bare in _ATTRIBUTE.findall(text)}


def _unescaped(text: str) -> str:
    """Replace character references. The standard library fails on numbers with thousands of digits."""
    return unescape(_TOO_LARGE.sub("\ufffd", text))


def _styled(page: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the tags, classes and ids whose content style sheets hide or strike out. Only the last tag, .class or #id
    of a selector counts. If this hides too much, the page differs from the plain text, and the player is asked to
    confirm."""
    place, page = 0, page.lower()
    while (start := page.find("<style", place)) >= 0 and (end := page.find("</style", start)) >= 0:
        place = end
        for rule in _CSS_COMMENT.sub("", page[page.find(">", start, end) + 1 : end]).split("}"):
            outer, _, style = rule.rpartition("{")
            ink, paper = _colours({"style": style}, "", _WHITE)
            if effects := frozenset(_effects_of(style)) | ({"unseen"} if ink == paper else set()):
                selectors = outer.rpartition("{")[2].split(",")
                names = (_SELECTED.search(it.rstrip()[-_LONGEST_NAME:]) for it in selectors)
                yield from ((name[0], effects) for name in names if name)


class _Reader:
    def __init__(self, styled: Mapping[str, frozenset[str]]) -> None:
        self._styled = styled
        self.lines: list[Line] = []
        self._open: list[_Open] = []
        self._tags: Counter[str] = Counter()  # names of the open elements
        self._effects: Counter[str] = Counter()
        self._words: list[str] = []
        self._quotes = {True: False, False: False}  # whether this line has quoted words, and whether it has other words
        self._rest_is_quoted = False
        self._signature_begins = False

    def begin(self, tag: str, values: Mapping[str, str]) -> None:
        if tag == "br" or _BLOCK.fullmatch(tag):
            self.end_line(tag == "br")
        if tag == "p":
            self._gap()
        marks = {*values.get("class", "").split(), values.get("id", ""), values.get("name", "")}
        marks = {mark.removeprefix("x_") for mark in marks}  # Outlook adds this prefix in quotes
        if marks & _REST_IS_QUOTED:
            self._rest_is_quoted = True
        if marks & _SIGNATURE_BEGINS:
            self._gap()
            self._signature_begins = True
        elif self._signature_begins and _BLOCK.fullmatch(tag):
            self._signature_begins = False
            marks.add("signature")
        if not _VOID.fullmatch(tag):
            names = [tag, f"#{values.get('id', '')}", *(f".{name}" for name in values.get("class", "").split())]
            by_sheet = (self._styled[name] for name in names if name in self._styled)
            ink, paper = _colours(values, *(self._open[-1][2:] if self._open else ("", _WHITE)))
            self._push(_Open(tag, frozenset(_effects(tag, values, marks)).union(*by_sheet), ink, paper))

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
        element = self._open.pop()
        self._tags[element.tag] -= 1
        self._effects.subtract(element.effects)
        return element.tag

    def text(self, data: str) -> None:
        data = _unescaped(data)
        if self._effects["unseen"] or (self._open and self._open[-1].ink == self._open[-1].paper):
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
        if words.strip():
            self._quotes[self._effects["quoted"] > 0] = True
        self._words.append(f"{STRUCK}{words}{STRUCK}" if self._effects["struck"] and words.strip() else words)

    def end_line(self, even_empty: bool = False) -> None:
        text = "".join(self._words).strip(" ")
        self._words.clear()
        if text or even_empty:
            are_quoted = self._effects["quoted"] > 0 or (self._quotes[True] and not self._quotes[False])
            is_quoted, signs = self._rest_is_quoted or are_quoted, self._effects["signs"] > 0
            self._quotes = {True: False, False: False}
            self.lines.append(Line(is_quoted, text, signs or (self._signature_begins and text != "")))
            self._signature_begins = self._signature_begins and text == ""

    def _gap(self) -> None:
        if self.lines and self.lines[-1].text:
            self.end_line(True)


def _effects(tag: str, values: Mapping[str, str], marks: set[str]) -> Iterator[str]:
    if tag == "blockquote" or marks & _QUOTES:
        yield "quoted"
    if _UNSEEN.fullmatch(tag) or "hidden" in values or (tag == "dialog" and "open" not in values):
        yield "unseen"
    if marks & _SIGNATURES or any("signature" in mark for mark in marks):
        yield "signs"
    if _STRUCK.fullmatch(tag):
        yield "struck"
    if tag == "pre":
        yield "pre"
    yield from _effects_of(_CSS_COMMENT.sub("", values.get("style", "")))


def _colours(values: Mapping[str, str], ink: str, paper: str) -> tuple[str, str]:
    ink = _colour(values.get("color") or values.get("text", "")) or ink
    paper = _colour(values.get("bgcolor", "")) or paper
    for name, colour in _COLOUR.findall(_URL.sub("", values.get("style", ""))):
        if name == "color":
            ink = _colour(colour) or paper
        else:
            paper = _colour(colour) or paper
    return ink, paper


def _colour(written: str) -> str:
    """Return a colour as #rrggbb or by name. Return white if it is nearly white, and "" if it is transparent."""
    colour = written.strip()
    if colour.startswith("hsl"):
        return (
            _WHITE if re.search(r"[\s,](?:100|9[5-9])(?:\.\d{0,9})?%", colour.rpartition("/")[0] or colour) else colour
        )
    if colour.startswith("rgb"):
        parts = re.findall(r"[\d.]{1,9}", colour)
        if len(parts) > 3 and parts[3].strip("0.") == "":
            return ""
        colour = "#" + "".join(f"{min(int(part.partition('.')[0] or 0), 255):02x}" for part in parts[:3])
    elif re.fullmatch("#[0-9a-f]{3,4}", colour):
        colour = "#" + "".join(2 * digit for digit in colour[1:4])
    colour = colour[:7] if colour.startswith("#") else colour
    return _WHITE if _NEARLY_WHITE.fullmatch(colour) else colour


def _effects_of(style: str) -> Iterator[str]:
    if _HIDING.search(style):
        yield "unseen"
    if any("text-decoration" in declaration and "line-through" in declaration for declaration in style.split(";")):
        yield "struck"
