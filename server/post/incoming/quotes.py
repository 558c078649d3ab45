"""What a person wrote now: the lines of a reply without those of the letter that it answers."""

import re
from collections.abc import Iterator, Sequence

from server.post.incoming.html_text import Line

MARK = "##-"  # a line of a letter with this in it: from here on all is the letter's
LONGEST_LINE = 1000
LONGEST_ATTRIBUTION = 4  # lines, as some programs break it

_BETWEEN_DASHES = re.compile(r"[-_=]{3,} ?[^\W_].{0,200}?[-_=]{3,}")
_WROTE = (
    r"(?:wrote|writes|schrieb|geschrieben|a écrit|écrivait|ha scritto|scrisse|skrev|schreef|escribió|escreveu|napisał)"
)
_ATTRIBUTION = re.compile(
    rf"(?=.*[\d@])\S.*\b{_WROTE}\b.{{0,120}}:|(?=.*\d)\S.*<?[^\s@]+@[^\s@]+>?[ \u00a0]?:"
    rf"|(?=.*\d)\S.*<[^\s@]+@[^\s@]+>[ \u00a0]?{_WROTE}",
    re.IGNORECASE,
)
_COLON = re.compile(r"[:：]\W{0,3}$")
_PERHAPS_ATTRIBUTION = re.compile(rf"\S.*\b{_WROTE}[ \u00a0]?:|(?:zitat von|quoting|citando) .+:", re.IGNORECASE)
_PREPOSITION = re.compile(r"\W{0,2}(?:on|am|le|il|em|el|op|den)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"<\S+@")
_HEADERS = {
    "from": "from von de da van fra från od от expéditeur mittente absender",
    "date": "sent gesendet envoyé inviato date datum data enviado verzonden sendt skickat wysłano отправлено",
    "to": "to an à a cc aan til till do para кому empfänger destinataire destinatario",
    "subject": "subject betreff objet oggetto onderwerp asunto emne ämne temat тема",
}
_HEADER_OF = {word: kind for kind, words in _HEADERS.items() for word in words.split()}
_FIELD = re.compile(r"\W{0,3}[^\W\d_][^\W\d_' .]{0,20}\W{0,3}[:：][*_]{0,3}(?:\s.*|\W{0,3})")
_TITLE = re.compile(
    r"\W{0,9}(?:(?:original|forwarded|reply|quoted) (?:message|mail)(?: processed by \w+)?|(?:begin|start of) (?:forwarded|original) message"
    r"|ursprüngliche (?:nachricht|mail)|original-?nachricht|weitergeleitete nachricht|message (?:d[’']origine|original|transféré)"
    r"|messaggio (?:originale|inoltrato)|mens(?:aje|agem) original|mesaj original|oorspronkelijk bericht|ursprungligt meddelande"
    r"|opprinnelig melding|oprindelig meddelelse|alkuperäinen viesti|(?:původní|pôvodná) (?:zpráva|správa)|wiadomość oryginalna"
    r"|oryginalna wiadomość|eredeti üzenet|(?:özgün|orijinal) (?:ileti|mesaj)|αρχικό μήνυμα|(?:исходное|пересылаемое) сообщение"
    r"|оригінальне повідомлення|元のメッセージ|原始邮件|原始郵件|원본 메시지|הודעה מקורית|الرسالة الأصلية)\W{0,9}",
    re.IGNORECASE,
)
_HEADER = re.compile(r"[*_\s]{0,3}([^\W\d_]+)(?: le)?[*_\s]{0,3}:[*_\s]{0,3}\S.*")


def own_lines(lines: Sequence[Line]) -> tuple[str, ...]:
    """Neither quoted nor below anything that begins a quote; no signature (RFC 3676, 4.3), no OpenPGP frame.

    An attribution ("On Tuesday Ada wrote:") with marked lines below it takes only these away, so that one may answer
    below a quote; where no line is marked, it takes away all that follows. The empty lines between paragraphs stay.
    """
    own = [text[:LONGEST_LINE] for text in _own(_unframed(lines))]
    filled = [place for place, text in enumerate(own) if text.strip()]
    return tuple(own[filled[0] : filled[-1] + 1]) if filled else ()


def _own(lines: list[Line]) -> Iterator[str]:
    place = 0
    while place < len(lines):
        quoted, text = lines[place]
        if quoted:
            yield ""
        elif text.rstrip() in ("--", "--\u00a0") or MARK in text or _begins_quote(lines, place):
            return
        elif length := _attribution(lines, place):
            place += length
            if not _goes_on_marked(lines, place):
                return
            continue
        else:
            yield text
        place += 1


def _unframed(lines: Sequence[Line]) -> list[Line]:
    """Without the armour's head of a signed text (RFC 9580, 7); its signature goes as anything between dashes."""
    begins = [place for place, line in enumerate(lines) if line.text.strip() == "-----BEGIN PGP SIGNED MESSAGE-----"]
    if not begins or lines[begins[0]].quoted:
        return list(lines)
    first = begins[0]
    blank = next((place for place in range(first, len(lines)) if not lines[place].text.strip()), len(lines))
    return [*lines[:first], *lines[blank:]]


def _begins_quote(lines: list[Line], place: int) -> bool:
    text = lines[place].text.strip()[:LONGEST_LINE]
    if _BETWEEN_DASHES.fullmatch(text) or _TITLE.fullmatch(text):
        return True
    if _header(text) not in ("from", "date"):
        return False
    near = [line.text.strip() for line in lines[place : place + 8] if line.text.strip()][:5]
    return len({_header(line) for line in near} - {""}) >= 2


def is_subject(line: str) -> bool:
    """Whether this is the line of a quoted head that says what a mail is about."""
    return _header(line) == "subject"


def _header(text: str) -> str:
    found = _HEADER.fullmatch(text[:LONGEST_LINE])
    return _HEADER_OF.get(found[1].lower(), "") if found else ""


def _attribution(lines: list[Line], place: int) -> int:
    """How many lines from here are an attribution; 0 if none is."""
    words = ""
    for length, line in enumerate(lines[place : place + LONGEST_ATTRIBUTION], 1):
        text = line.text.strip()[:LONGEST_LINE]
        begins = _PREPOSITION.match(text) is not None
        if line.quoted or not text or (length > 1 and begins):
            return 0
        words = f"{words} {text}".strip()
        if _ATTRIBUTION.fullmatch(words):
            return length
        if _PERHAPS_ATTRIBUTION.fullmatch(words) and _goes_on_marked(lines, place + length):
            return length
        if length == 1 and not begins and not _ADDRESS.search(text):
            return 0
    return 0


def may_begin_quote(line: str) -> bool:
    """Whether this may be what some program writes above a quote, in a language that nobody here reads."""
    text = line.strip()
    is_line = len(text) >= 3 and re.search(r"\w", text.replace("_", "")) is None
    return is_line or "@" in text or _COLON.search(text) is not None or _FIELD.fullmatch(text) is not None


def _goes_on_marked(lines: list[Line], place: int) -> bool:
    return next((line.quoted for line in lines[place:] if line.text.strip()), False)
