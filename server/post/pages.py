"""The HTML of a mail from outside as lines of text, those that quote another mail marked."""

import re
from html.parser import HTMLParser
from typing import NamedTuple

DEEPEST = 400

_Attributes = list[tuple[str, str | None]]


class Line(NamedTuple):
    """A line as its reader sees it, and whether it is marked as somebody else's words."""

    quoted: bool
    text: str


class TooNested(Exception):
    """More elements within each other than anybody writes."""


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
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|font-size\s*:\s*0(?![.\d])")
_STRIKING = re.compile(r"text-decoration[a-z-]*\s*:[^;]*line-through")


class _Open(NamedTuple):
    """An element that has begun."""

    tag: str
    quotes: bool
    unseen: bool
    struck: bool
    pre: bool


def lines_of_page(page: str) -> list[Line]:
    """The lines that a reader of this page sees. Raises TooNested."""
    reader = _Reader()
    reader.feed(_without_comments(page))
    reader.close()
    reader.end_line()
    return reader.lines


def _without_comments(page: str) -> str:
    """HTMLParser looks for the end of each comment again and again."""
    page = re.sub(r"<!--.*?(?:-->|\Z)", "", page, flags=re.DOTALL)
    return re.sub(r"<[!?][^>]*(?:>|\Z)", "", page)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []
        self._open: list[_Open] = []
        self._words: list[str] = []
        self._rest_is_quoted = False

    def handle_starttag(self, tag: str, attrs: _Attributes) -> None:
        if _BLOCK.fullmatch(tag) or tag == "br":
            self.end_line(tag == "br")
        if tag == "p":
            self._gap()
        values = {key: (value or "").lower() for key, value in attrs}
        marks = {*values.get("class", "").split(), values.get("id", ""), values.get("name", "")}
        marks = {mark.removeprefix("x_") for mark in marks}  # Outlook's, once it has been quoted
        if marks & _REST_IS_QUOTED:
            self._rest_is_quoted = True
        if _VOID.fullmatch(tag):
            return
        style = values.get("style", "")
        struck = _STRUCK.fullmatch(tag) is not None or _STRIKING.search(style) is not None
        self._open.append(
            _Open(
                tag,
                quotes=tag == "blockquote" or bool(marks & _QUOTES),
                unseen=_UNSEEN.fullmatch(tag) is not None
                or "hidden" in values
                or bool(marks & _SIGNATURES or _HIDING.search(style)),
                struck=struck,
                pre=tag == "pre",
            )
        )
        if len(self._open) > DEEPEST:
            raise TooNested
        if struck:
            self._words.append("~")  # what is struck out is no longer what it was

    def handle_endtag(self, tag: str) -> None:
        if any(element.tag == tag for element in self._open):
            if _BLOCK.fullmatch(tag):
                self.end_line()
            while True:
                element = self._open.pop()
                if element.struck:
                    self._words.append("~")
                if element.tag == tag:
                    break
        if tag == "p":
            self._gap()

    def handle_data(self, data: str) -> None:
        if any(element.unseen for element in self._open):
            return
        if any(element.pre for element in self._open):
            first, *others = re.split("\r\n|\r|\n", data)
            self._words.append(first)
            for line in others:
                self.end_line(True)
                self._words.append(line)
        else:
            self._words.append(re.sub(r"[ \t\r\n\f]+", " ", data))

    def end_line(self, even_empty: bool = False) -> None:
        text = "".join(self._words).strip(" ")
        self._words.clear()
        if text or even_empty:
            quoted = self._rest_is_quoted or any(element.quotes for element in self._open)
            self.lines.append(Line(quoted, text))

    def _gap(self) -> None:
        if self.lines and self.lines[-1].text:
            self.end_line(True)
