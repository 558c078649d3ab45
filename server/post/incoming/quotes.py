"""Removes quotes: finds the lines that a person has written, without lines from the email to which they reply."""

import re
from collections.abc import Callable, Iterator, Sequence

from server.post.incoming.html_text import Line
from server.sanitize import without_unseen

MARK = "##-"  # a line with this mark begins our email, which includes all lines below
SAID = "¦"  # before each line of chat in our emails; a line with this mark belongs to our email, like all lines below
LONGEST_LINE = 1000
_LONGEST_TITLE = 300
_LONGEST_HEAD = 9  # lines
LONGEST_ATTRIBUTION = 4  # lines, since some programs wrap it

_DRAWN = "-_=~*#<>|+•·.‐‑‒–—―─━═▬＿－"  # characters in drawn lines, including emphasis marks
_BETWEEN_DASHES = re.compile(r"[-_=~*‐‑‒–—―─━═]{3,200} ?[^\W_]")
_WROTE = (
    r"(?:wrote|writes|schrieb|geschrieben|a écrit|écrivait|ha scritto|scrisse|skrev|schreef|escribió|escreveu|escreveram"
    r"|napisał|napisała|napsala?|napísala?|napisao|napisala|napisali|je napisal|kirjoitti|kirjutas|rašė|rakstīja|írta"
    r"|a scris|yazdı|yazmış|έγραψε|pisze|pisała?|написала?|написав|пише|пишет|píše|skriver|schrijft|escribe|escreve|escreva|scrive|écrit|написа|skrifaði|va escriure|idatzi du|đã viết|menulis"
    r"|כתב|כתבה|كتب|كتبت|เขียนว่า|写道|寫道|书写|さんは書きました|님이 작성)"
)
_ATTRIBUTION = re.compile(
    rf"(?=.*[\d@])\S.*\b{_WROTE}\b.{{0,120}}[:：]|(?=.*\d)\S.*[^\s@]@[^\s@]+[ \u00a0]?:"
    rf"|(?=.*\d)\S.*<[^\s@<>]{{1,250}}@[^\s@<>]{{1,250}}>[ \u00a0]?{_WROTE}",
    re.IGNORECASE,
)
_COLON = re.compile(r"[:：]\W{0,3}$")
_PERHAPS_ATTRIBUTION = re.compile(rf"\S.*\b{_WROTE}[ \u00a0]?:|(?:zitat von|quoting|citando) .+:", re.IGNORECASE)
_PREPOSITION = re.compile(r"\W{0,2}(?:on|am|le|il|em|el|op|den)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"<[^\s<@]{1,250}@")
_HEADERS = {
    "from": "from von de da van fra från od від от expéditeur mittente absender lähettäjä από gönderen kimden feladó saatja"
    " dari từ frá desde remitente remetente nadawca odesílatel odosielateľ expeditor 发件人 寄件者 差出人 送信者 보낸사람 מאת من จาก",
    "date": "sent gesendet envoyé inviato date datum data enviado fecha verzonden sendt sendte skickat wysłano отправлено"
    " дата надіслано lähetetty päivämäärä στάλθηκε ημερομηνία gönderildi tarih elküldve dátum odesláno odoslané poslano"
    " saadetud išsiųsta nosūtīts trimis dikirim 发送时间 寄件日期 日期 送信日時 日付 보낸날짜 날짜 נשלח תאריך تاريخ",
    "to": "to an à a cc aan til till do para кому empfänger destinataire destinatario vastaanottaja προς kime alıcı címzett"
    " komu către kepada đến 收件人 收件者 宛先 받는사람 אל إلى ถึง",
    "subject": "subject betreff objet oggetto onderwerp asunto assunto emne ämne temat тема aihe θέμα konu tárgy předmět"
    " predmet teema tema subiect subjek efni 主题 主旨 件名 제목 נושא الموضوع เรื่อง",
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
_HEADER = re.compile(r"[*_\s]{0,3}([^\W\d_]{1,30})(?: le)?[*_\s]{0,3}[:：][*_\s]{0,3}\S.*")


def own_lines(lines: Sequence[Line], objects: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the lines that the person has written, without quotes, signatures (RFC 3676, 4.3) and OpenPGP armour.

    `objects` returns whether words contradict a move. Such words stay, even in a signature or between dashes.

    An attribution ("On Tuesday Ada wrote:") with marked lines below is removed together with these lines only, so that
    replies may follow a quote. Otherwise everything below an attribution is removed. Empty lines between paragraphs
    stay.
    """
    own = [text[:LONGEST_LINE] for text in _own(_unframed(lines), objects)]
    filled = [place for place, text in enumerate(own) if text.strip()]
    return tuple(own[filled[0] : filled[-1] + 1]) if filled else ()


def _own(written: list[Line], objects: Callable[[str], bool]) -> Iterator[str]:
    lines = [line._replace(text=without_unseen(line.text)) for line in written]
    place = 0
    while place < len(lines):
        quoted, text, signs = lines[place]
        if quoted and (length := _marked_head(lines, place)):
            if not _goes_on_marked(lines, place + length):
                return
            yield ""
        elif quoted or (signs and not objects(text)):
            yield ""
        elif SAID in text:
            return
        elif text.rstrip() in ("--", "--\u00a0") or MARK in text or _begins_quote(lines, place):
            if objects(text.strip(_DRAWN)):
                yield written[place].text
            return
        elif length := _attribution(lines, place):
            place += length
            if not _goes_on_marked(lines, place):
                return
            continue
        else:
            yield written[place].text
        place += 1


def _unframed(lines: Sequence[Line]) -> list[Line]:
    """Remove the armour headers of a signed text (RFC 9580, 7). The signature is removed later, like everything between
    dashes."""
    begins = [place for place, line in enumerate(lines) if line.text.strip() == "-----BEGIN PGP SIGNED MESSAGE-----"]
    if not begins or lines[begins[0]].quoted:
        return list(lines)
    first = begins[0]
    blank = next((place for place in range(first, len(lines)) if not lines[place].text.strip()), len(lines))
    return [*lines[:first], *lines[blank:]]


def _begins_quote(lines: list[Line], place: int) -> bool:
    text = lines[place].text.strip()[:LONGEST_LINE]
    if _is_title(text):
        return True
    near = [line.text.strip() for line in lines[place : place + 9] if line.text.strip()][:6]
    if is_drawn(text):
        return len(near) > 2 and all(map(_FIELD.fullmatch, near[1:3])) and any("@" in it for it in near[1:])
    if _header(text) not in ("from", "date"):
        return False
    return len({_header(line) for line in near[:5]} - {""}) >= 2


def _is_title(text: str) -> bool:
    """Return whether this is a title above a quote. A title between dashes may be in any language, one without dashes
    must be in a known language."""
    bare = text.strip("* >|")
    ends = bare.rstrip()[-3:]
    is_between = len(ends) == 3 and set(ends) <= set("-_=~*‐‑‒–—―─━═") and len(bare) <= _LONGEST_TITLE
    return (is_between and _BETWEEN_DASHES.match(bare) is not None) or (
        _TITLE.fullmatch(text.strip(f"{_DRAWN} \u00a0")) is not None
    )


def is_drawn(line: str) -> bool:
    """Return whether this line is part of a drawing and contains no words."""
    return line.strip() != "" and re.search(r"[^\W_]", line) is None


def is_subject(line: str) -> bool:
    """Return whether this is the Subject line in the headers of a quote."""
    return _header(line) == "subject"


def _header(text: str) -> str:
    found = _HEADER.fullmatch(text[:LONGEST_LINE])
    return _HEADER_OF.get(found[1].lower(), "") if found else ""


def _attribution(lines: list[Line], place: int) -> int:
    """Return the number of lines of the attribution that begins here, or 0 if none begins here."""
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
        if _COLON.search(text) and _goes_on_marked(lines, place + length):  # this applies in any language
            return length
        if length == 1 and not begins and not _ADDRESS.search(text):
            return 0
    return 0


def _marked_head(lines: list[Line], place: int) -> int:
    """Return the number of marked lines that begin here if they are only the headers of a quote, otherwise 0.

    The text of such a quote may follow without marks.
    """
    if place and lines[place - 1].quoted:
        return 0
    length = next((nr for nr in range(place, len(lines)) if not lines[nr].quoted), len(lines)) - place
    texts = [
        bare for line in lines[place : place + min(length, _LONGEST_HEAD)] if (bare := line.text.strip("> \u00a0"))
    ]
    is_head = texts and len(texts) == sum(line.text.strip("> \u00a0") != "" for line in lines[place : place + length])
    return length if is_head and all(_is_of_head(text[:LONGEST_LINE]) for text in texts) else 0


def _is_of_head(text: str) -> bool:
    return (
        _header(text) != ""
        or _is_title(text)
        or _ATTRIBUTION.fullmatch(text) is not None
        or ("@" in text and re.search(r"\d", text) is not None)
    )


def may_begin_quote(line: str) -> bool:
    """Return whether a program may have written this line above a quote, in a known or unknown language."""
    text = line.strip()
    return (
        (len(text) >= 3 and is_drawn(text))
        or "@" in text
        or _COLON.search(text) is not None
        or _FIELD.fullmatch(text) is not None
    )


def _goes_on_marked(lines: list[Line], place: int) -> bool:
    return next((line.quoted for line in lines[place:] if line.text.strip()), False)
