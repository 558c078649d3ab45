"""Mail programs' reply formats: each function turns the typed text into the bytes that arrive.

They imitate what the programs send, in German, English, French and Italian where they translate it.
"""

import base64
import quopri
import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from html import escape
from typing import NamedTuple

OURS = "Sternenpost"
ADDRESS = "turn-k3v9q2m7x4@stars.example"
ADA = "ada@example.org"
DATE = format_datetime(datetime.now(UTC))  # older emails count as copies
NAMES = {"de": "Ada Müller", "en": "Ada Byron", "fr": "Ada Lefèvre", "it": "Ada Niccolò"}
PREFIX = {"de": "AW: ", "en": "Re: ", "fr": "RE: ", "it": "R: "}

LETTER = """\
Ada, it is your turn.
Please move by Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1).
As we write this, you have 2 days 8 hours.

Move here: https://stars.example/t/k3v9q2m7x4w8z1b6n5c0

What has happened since your last turn:
- Ben put a 7 on leo c.
- Cleo put a hidden star on leo a, so that the board is full but for one space.

The table:

Leo (leo)   prizes 9, 5
  a  Cleo ?
  c  Ben 7

84 moves are open to you, for example:
  1 leo b
  3 leo b
  5 cancer a
  D virgo d

Have fun!

-- 
Tuesday stars (Sternenhimmel)
The whole game: https://stars.example/v1/games/0190aa
"""
LETTER_OF_STEPS = """\
Ada, it is your turn.
Please move by Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1).

Since your last turn:
- Ben laid a Leuchtstern on c4 and moved it along c4 d5 e6, which completed a Sternbild of his.

31 moves are open to you, for example:
  1 lay punkt b1
  2 move a1 b2 c3
  3 remove c1
  finish

-- 
Tuesday stars (Sternenglanz)
"""


class Answered(NamedTuple):
    """A letter's data that a reply repeats, besides its text."""

    reader: str = ADA
    sender: str = ADDRESS
    reply_to: str = ADDRESS
    subject: str = "Tuesday stars (Sternenhimmel by mail)"
    message_id: str = "<0190aa-7@stars.example>"
    references: str = "<0190aa@stars.example>"  # up to and with this letter
    page: str = ""  # its HTML; "" for the text with tags around its lines
    pictures: tuple[bytes, ...] = ()  # parts with head and body


def answering(letter: EmailMessage) -> Answered:
    page = letter.get_body(("html",))
    return Answered(
        reader=str(letter["To"]),
        sender=parseaddr(letter["From"])[1],
        reply_to=str(letter["Reply-To"]),
        subject=str(letter["Subject"]),
        message_id=str(letter["Message-ID"]),
        references=f"{letter['References'] or ''} {letter['Message-ID']}".strip(),
        page=page.get_content().replace("\r\n", "\n") if page else "",
        pictures=tuple(it.as_bytes(policy=SMTP) for it in letter.walk() if it.get_content_type() == "image/png"),
    )


class Typed(NamedTuple):
    """The typed text, the language of the program, and the position of the text."""

    words: str
    locale: str = "en"
    place: str = "top"  # or "bottom" or "inline", if the program allows it
    letter: str = LETTER
    head: str = ""  # further fields, each with its line break
    answered: Answered = Answered()
    message_id: str = "<5f2c7e1a-0b7d@mail.example.org>"

    @property
    def page(self) -> str:
        """Return the HTML that the program quotes: the letter's styles, without the rest of its head."""
        if not self.answered.page:
            return '<div style="max-width:640px">' + paragraphs(self.letter, "p") + "</div>"
        return re.sub(
            r"<!doctype.*?>|<(?!style).*?>(?=.*<style>)|</?(?:html|head|body|meta|title).*?>", "", self.answered.page
        )

    @property
    def by(self) -> str:
        return f"{OURS} <{self.answered.sender}>"


class Program(NamedTuple):
    write: Callable[[Typed], bytes]
    places: tuple[str, ...] = ("top",)


# Octets


def part(kind: str, text: str, charset: str = "utf-8", transfer: str = "quoted-printable", more: str = "") -> bytes:
    octets = text.replace("\n", "\r\n").encode(charset, "xmlcharrefreplace" if kind == "html" else "replace")
    match transfer:
        case "quoted-printable":
            octets = quopri.encodestring(octets.replace(b"\r\n", b"\n")).replace(b"\n", b"\r\n")
        case "base64":
            octets = base64.encodebytes(octets).replace(b"\n", b"\r\n")
    head = f'Content-Type: text/{kind}; charset="{charset}"{more}\r\nContent-Transfer-Encoding: {transfer}\r\n\r\n'
    return head.encode() + octets


def multipart(kind: str, *parts: bytes, boundary: str = "000000000000a1b2c3d4e5f6") -> bytes:
    body = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), each) for each in parts)
    return b'Content-Type: multipart/%s; boundary="%s"\r\n\r\n%s--%s--\r\n' % (
        kind.encode(),
        boundary.encode(),
        body,
        boundary.encode(),
    )


def illustrated(typed: Typed, body: bytes) -> bytes:
    """Add the pictures of the quoted letter."""
    pictures = typed.answered.pictures
    return multipart("related", body, *pictures, boundary="----=_NextPart_001_0007") if pictures else body


def mail(typed: Typed, body: bytes, program: str) -> bytes:
    """Return a whole mail; `body` begins with its own headers."""
    name, answered = NAMES[typed.locale], typed.answered
    shown = name if name.isascii() else Header(name, "utf-8").encode()
    return (
        f"From: {shown} <{answered.reader}>\r\n"
        f"To: {OURS} <{answered.reply_to}>\r\n"
        f"Subject: {PREFIX[typed.locale]}{answered.subject}\r\n"
        f"Date: {DATE}\r\n"
        f"Message-ID: {typed.message_id}\r\n"
        f"In-Reply-To: {answered.message_id}\r\nReferences: {answered.references}\r\n"
        f"{typed.head}{program}\r\nMIME-Version: 1.0\r\n"
    ).encode() + body


# Words


def marked(text: str, mark: str = "> ") -> str:
    return "\n".join((mark + line) if line else mark.rstrip() for line in text.rstrip("\n").split("\n"))


def around(typed: Typed, attribution: str, mark: str = "> ") -> str:
    """Return attribution, quoted letter and words in the player's order."""
    if typed.place == "bottom":
        return f"{attribution}\n{marked(typed.letter, mark)}\n\n{typed.words}\n"
    if typed.place == "inline":
        first, second = typed.letter.split("\n\n", 1)
        return f"{attribution}\n{marked(first, mark)}\n\n{typed.words}\n\n{marked(second, mark)}\n"
    return f"{typed.words}\n\n{attribution}\n{marked(typed.letter, mark)}\n"


def paragraphs(text: str, tag: str = "div", style: str = "") -> str:
    lines = text.rstrip("\n").split("\n")
    return "".join(f"<{tag}{style}>{escape(line, quote=False) or '<br>'}</{tag}>\n" for line in lines)


def say(typed: Typed, **by_locale: str) -> str:
    return by_locale[typed.locale]


# Programs that send plain text only


class Plain(NamedTuple):
    """A plain-text program: its attribution in each language, and its own habits."""

    wrote: dict[str, str]  # `{by}` is the letter's sender, `{ours}` only its name
    head: str
    charset: str = "utf-8"
    transfer: str = "8bit"
    more: str = ""
    mark: str = "> "
    below: dict[str, str] | None = None

    def __call__(self, typed: Typed) -> bytes:
        wrote = self.wrote.get(typed.locale, self.wrote.get("any", "")).format(by=typed.by, ours=OURS)
        below = f"\n-- \n{self.below[typed.locale]}" if self.below else ""
        plain = around(typed, wrote, self.mark) + below
        return mail(typed, part("plain", plain, self.charset, self.transfer, self.more), self.head)


DATED = {
    "de": "Am 21.11.26 um 10:00 schrieb {ours}:",
    "en": "On 21/11/2026 10:00, {ours} wrote:",
    "fr": "Le 21/11/2026 à 10:00, {ours} a écrit\u00a0:",
    "it": "Il 21/11/2026 10:00, {ours} ha scritto:",
}
thunderbird = Plain(DATED, "User-Agent: Mozilla Thunderbird", "UTF-8", more="; format=flowed")
k9 = Plain(
    {
        "de": "Am 21. November 2026 10:00:00 MEZ schrieb {by}:",
        "en": "On 21 November 2026 10:00:00 CET, {by} wrote:",
        "fr": "Le 21 novembre 2026 10:00:00 GMT+01:00, {by} a écrit :",
        "it": "Il 21 novembre 2026 10:00:00 CET, {by} ha scritto:",
    },
    "User-Agent: K-9 Mail for Android",
    transfer="quoted-printable",
    mark=">",
    below={
        "de": "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
        "en": "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
        "fr": "Envoyé de mon appareil Android avec K-9 Mail. Veuillez excuser ma brièveté.",
        "it": "Inviato dal mio dispositivo Android con K-9 Mail. Perdonate la brevità.",
    },
)
mutt = Plain(
    {"any": "On Sat, Nov 21, 2026 at 10:00:00AM +0100, {ours} wrote:"},
    "User-Agent: Mutt/2.2.13 (2024-03-09)",
    "us-ascii",
    "7bit",
)
evolution = Plain(
    {
        "de": "Am Samstag, dem 21.11.2026 um 10:00 +0100 schrieb {ours}:",
        "en": "On Sat, 2026-11-21 at 10:00 +0100, {ours} wrote:",
        "fr": "Le samedi 21 novembre 2026 à 10:00 +0100, {ours} a écrit :",
        "it": "Il giorno sab, 21/11/2026 alle 10.00 +0100, {ours} ha scritto:",
    },
    "User-Agent: Evolution 3.54.1",
    transfer="quoted-printable",
)
kmail = Plain(
    {
        "de": "Am Samstag, 21. November 2026, 10:00:00 CET schrieb {ours}:",
        "en": "On Saturday, November 21, 2026 10:00:00 AM CET {ours} wrote:",
        "fr": "Le samedi 21 novembre 2026, 10:00:00 CET {ours} a écrit :",
        "it": "In data sabato 21 novembre 2026 10:00:00 CET, {ours} ha scritto:",
    },
    "X-KMail-Version: 6.2.3",
    transfer="base64",
)
roundcube = Plain(
    {
        "de": "Am 2026-11-21 10:00, schrieb {ours}:",
        "en": "On 2026-11-21 10:00, {ours} wrote:",
        "fr": "Le 2026-11-21 10:00, {ours} a écrit :",
        "it": "Il 2026-11-21 10:00 {ours} ha scritto:",
    },
    "User-Agent: Roundcube Webmail/1.6.9",
    "UTF-8",
    more=";\r\n format=flowed",
)
gnus = Plain({"any": "{by} writes:\n"}, "User-Agent: Gnus/5.13 (Gnus v5.13)")
claws = Plain(
    {"any": "On Sat, 21 Nov 2026 10:00:00 +0100\n{by} wrote:\n"},
    "X-Mailer: Claws Mail 4.3.0 (GTK 3.24.41)",
    "US-ASCII",
    "7bit",
)
fastmail = Plain({"any": "On Sat, 21 Nov 2026, at 10:00 AM, {ours} wrote:"}, "User-Agent: Cyrus-JMAP/3.11")
horde = Plain(
    {
        "de": "\nZitat von {ours}:\n",
        "en": "\nQuoting {ours}:\n",
        "fr": "\n{ours} a écrit\u00a0:\n",
        "it": "\nCitando {ours}:\n",
    },
    "User-Agent: Horde Application Framework 5",
    transfer="quoted-printable",
    more="; format=flowed; DelSp=Yes",
)
initials = Plain(  # as some Usenet people quote
    {"any": "{ours} schrieb am 21.11.2026 um 10:00:\n"}, "X-Mailer: CrossPoint v3.40", "iso-8859-15", mark="SP> "
)


# The other programs


def gmail(typed: Typed) -> bytes:
    attribution = say(
        typed,
        de=f"Am Sa., 21. Nov. 2026 um 10:00 Uhr schrieb {OURS} <\n{typed.answered.sender}>:\n",
        en=f"On Sat, Nov 21, 2026 at 10:00\u202fAM {typed.by}\nwrote:\n",
        fr=f"Le sam. 21 nov. 2026 à 10:00, {typed.by} a\nécrit :\n",
        it=f"Il giorno sab 21 nov 2026 alle ore 10:00 {OURS} <\n{typed.answered.sender}> ha scritto:\n",
    )
    one_line = attribution.replace("\n", " ")
    quote = (
        f'<br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">{escape(one_line)}<br>'
        '</div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204)">'
        f"{typed.page}</blockquote></div>"
    )
    html = f'<div dir="ltr">{paragraphs(typed.words)}</div>{quote}'
    plain = part("plain", around(typed, attribution), "UTF-8")
    body = illustrated(typed, multipart("alternative", plain, part("html", html, "UTF-8")))
    return mail(typed, body, "X-Gm-Features: AZwV_Qj1")


def gmail_android(typed: Typed) -> bytes:
    attribution = say(
        typed,
        de=f"{typed.by} schrieb am Sa., 21. Nov. 2026, 10:00:\n",
        en=f"On Sat, 21 Nov 2026, 10:00 {OURS}, <{typed.answered.sender}> wrote:\n",
        fr=f"Le sam. 21 nov. 2026, 10:00, {typed.by} a écrit :\n",
        it=f"Il sab 21 nov 2026, 10:00 {typed.by} ha scritto:\n",
    )
    html = (
        f'<div dir="auto">{paragraphs(typed.words)}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f'{escape(attribution)}</div><blockquote class="gmail_quote">{typed.page}</blockquote></div>'
    )
    plain = part("plain", around(typed, attribution), "UTF-8", "base64")
    return mail(
        typed, multipart("alternative", plain, part("html", html, "UTF-8", "base64")), "X-Received: by 2002:a05"
    )


def _outlook_block(typed: Typed) -> list[tuple[str, str]]:
    names = say(
        typed,
        de="Von|Gesendet|An|Betreff",
        en="From|Sent|To|Subject",
        fr="De|Envoyé|À|Objet",
        it="Da|Inviato|A|Oggetto",
    ).split("|")
    date = say(
        typed,
        de="Samstag, 21. November 2026 10:00",
        en="Saturday, November 21, 2026 10:00 AM",
        fr="samedi 21 novembre 2026 10:00",
        it="sabato 21 novembre 2026 10:00",
    )
    colon = "\u00a0:" if typed.locale == "fr" else ":"
    values = (typed.by, date, f"{NAMES[typed.locale]} <{typed.answered.reader}>", typed.answered.subject)
    return [(name + colon, value) for name, value in zip(names, values, strict=True)]


def _block_of_text(typed: Typed) -> str:
    return "".join(f"{name} {value}\n" for name, value in _outlook_block(typed))


def outlook(typed: Typed) -> bytes:
    block = "<br>".join(f"<b>{name}</b> {escape(value)}" for name, value in _outlook_block(typed))
    html = (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta http-equiv="Content-Type" content="text/html">'
        "<!--[if !mso]><style>v\\:* {behavior:url(#default#VML);}</style><![endif]--><style><!-- p.MsoNormal {margin:0cm}"
        ' --></style></head><body lang="DE" link="#0563C1"><div class="WordSection1">'
        + paragraphs(typed.words, "p", ' class="MsoNormal"').replace("<br>", "<o:p>&nbsp;</o:p>")
        + '<p class="MsoNormal"><o:p>&nbsp;</o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;'
        f'padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal">{block}<o:p></o:p></p></div></div>'
        f"{typed.page}</div></body></html>"
    )
    plain = f"{typed.words}\n\n{_block_of_text(typed)}\n{typed.letter}"
    charset = "iso-8859-1" if typed.locale in ("de", "it") else "utf-8"
    body = multipart("alternative", part("plain", plain, charset), part("html", html, charset), boundary="_000_AM6PR0")
    return mail(
        typed, illustrated(typed, body), "X-MS-Has-Attach:\r\nThread-Index: AQHZ4l0=\r\nContent-Language: de-DE"
    )


def outlook_html_only(typed: Typed) -> bytes:
    raw = outlook(typed)
    html = raw.split(b"--_000_AM6PR0\r\n")[2].split(b"\r\n--_000_AM6PR0--")[0]
    return raw[: raw.index(b"Content-Type: multipart")] + html


def outlook_2003(typed: Typed) -> bytes:
    title = say(
        typed,
        de="-----Ursprüngliche Nachricht-----",
        en="-----Original Message-----",
        fr="-----Message d'origine-----",
        it="-----Messaggio originale-----",
    )
    plain = f"{typed.words}\n\n{title}\n{_block_of_text(typed)}\n{typed.letter}"
    return mail(typed, part("plain", plain, "windows-1252", "8bit"), "X-Mailer: Microsoft Office Outlook 11")


def outlook_web(typed: Typed) -> bytes:
    block = "<br>".join(f"<b>{name}</b> {escape(value)}" for name, value in _outlook_block(typed))
    html = (
        '<html><head><style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style></head>'
        f'<body dir="ltr">{paragraphs(typed.words, "div", " class=elementToProof")}<div id="appendonsend"></div>'
        f'<hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font>{block}'
        f"</font><div>&nbsp;</div></div>{typed.page}</body></html>"
    )
    plain = f"{typed.words}\n\n{'_' * 32}\n{_block_of_text(typed)}\n{typed.letter}"
    body = multipart("alternative", part("plain", plain), part("html", html), boundary="_000_DB9P191MB")
    return mail(typed, body, "x-ms-exchange-messagesentrepresentingtype: 1")


def outlook_mobile(typed: Typed) -> bytes:
    sent = say(
        typed,
        de="Outlook für iOS<https://aka.ms/o0ukef> beziehen",
        en="Get Outlook for Android<https://aka.ms/AAb9ysg>",
        fr="Obtenir Outlook pour iOS<https://aka.ms/o0ukef>",
        it="Ottieni Outlook per Android<https://aka.ms/AAb9ysg>",
    )
    html = (
        f'<html><body>{paragraphs(typed.words, "div", " dir=auto")}<div id="ms-outlook-mobile-signature">{escape(sent)}'
        '</div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg">'
        + "<br>".join(f"<b>{name}</b> {escape(value)}" for name, value in _outlook_block(typed))
        + f"</div>{typed.page}</body></html>"
    )
    plain = f"{typed.words}\n\n{sent}\n{'_' * 32}\n{_block_of_text(typed)}\n{typed.letter}"
    body = multipart("alternative", part("plain", plain, transfer="base64"), part("html", html, transfer="base64"))
    return mail(typed, body, "X-MS-Exchange-Transport-CrossTenantHeadersStamped: DB9")


def apple_mail(typed: Typed) -> bytes:
    attribution = say(
        typed,
        de=f"Am 21.11.2026 um 10:00 schrieb {typed.by}:",
        en=f"On 21 Nov 2026, at 10:00, {typed.by} wrote:",
        fr=f"Le 21 nov. 2026 à 10:00, {typed.by} a écrit :",
        it=f"Il giorno 21 nov 2026, alle ore 10:00, {typed.by} ha scritto:",
    )
    plain = around(typed, f"> {attribution}\n> ")
    html = (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
        f'<body style="overflow-wrap: break-word;">{paragraphs(typed.words)}<div><br><blockquote type="cite"><div>'
        f"{escape(attribution)}</div><br><div>{typed.page}</div></blockquote></div><br></body></html>"
    )
    body = multipart(
        "alternative", part("plain", plain), illustrated(typed, part("html", html)), boundary="Apple-Mail=_8F2B"
    )
    return mail(
        typed, body, "Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3774.600.62\\))\r\nX-Mailer: Apple Mail (2.3774)"
    )


def iphone(typed: Typed) -> bytes:
    sent = say(
        typed,
        de="Von meinem iPhone gesendet",
        en="Sent from my iPhone",
        fr="Envoyé de mon iPhone",
        it="Inviato da iPhone",
    )
    attribution = say(
        typed,
        de=f"Am 21.11.2026 um 10:00 schrieb {typed.by}:",
        en=f"On Nov 21, 2026, at 10:00, {typed.by} wrote:",
        fr=f"Le 21 nov. 2026 à 10:00, {typed.by} a écrit :",
        it=f"Il giorno 21 nov 2026, alle ore 10:00, {typed.by} ha scritto:",
    )
    plain = f"{typed.words}\n\n{sent}\n\n> {attribution}\n> \n{marked(chr(0xFEFF) + typed.letter)}\n"
    return mail(typed, part("plain", plain, transfer="base64"), "X-Mailer: iPhone Mail (23B85)")


def iphone_html(typed: Typed) -> bytes:
    html = (
        f'<html><body dir="auto">{paragraphs(typed.words)}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">Von '
        'meinem iPhone gesendet</div><div dir="ltr"><br><blockquote type="cite">Am 21.11.2026 um 10:00 schrieb '
        f'{OURS}:<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">\ufeff{typed.page}'
        "</div></blockquote></body></html>"
    )
    return mail(typed, part("html", html), "X-Mailer: iPad Mail (23B85)")


def thunderbird_html(typed: Typed) -> bytes:
    attribution = f'<div class="moz-cite-prefix">{escape(DATED[typed.locale].format(ours=OURS))}<br></div>'
    quote = f'{attribution}<blockquote type="cite" cite="mid:0190aa-7@stars.example">{typed.page}</blockquote>'
    words = paragraphs(typed.words, "p")
    inside = f"{quote}{words}" if typed.place == "bottom" else f"{words}{quote}"
    html = f'<!DOCTYPE html><html><head><meta charset="UTF-8"></head><body>{inside}</body></html>'
    return mail(typed, part("html", html, "UTF-8", "8bit"), "User-Agent: Mozilla Thunderbird")


def gmx(typed: Typed) -> bytes:
    """Write as the web front end of GMX and WEB.DE, which sends HTML only."""
    html = (
        f'<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">{paragraphs(typed.words)}'
        '<div>&nbsp;<div name="quote" style="margin:10px 5px 5px 10px; padding: 10px 0 10px 10px; border-left:2px solid '
        '#C3D9E5; word-wrap: break-word;"><div style="margin:0 0 10px 0;"><b>Gesendet:</b>&nbsp;Samstag, 21. November '
        f"2026 um 10:00 Uhr<br/><b>Von:</b>&nbsp;{escape(typed.by)}<br/><b>An:</b>&nbsp;{ADA}<br/><b>Betreff:</b>"
        f'&nbsp;Tuesday stars</div><div name="quoted-content">{typed.page}</div></div></div></div>'
        "</body></html>"
    )
    return mail(typed, part("html", html, "UTF-8"), "X-UI-Sender-Class: 01bb95c1\r\nX-Priority: 3")


def gmx_app(typed: Typed) -> bytes:
    sent = "-- \nDiese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet."
    plain = f"{typed.words}\n{sent}\nAm 21.11.26, 10:00 schrieb {typed.by}:\n{marked(typed.letter)}\n"
    return mail(typed, part("plain", plain, transfer="base64"), "X-Mailer: GMX Android App")


def proton(typed: Typed) -> bytes:
    sent = say(
        typed,
        de="Gesendet mit Proton Mail sichere E-Mail.",
        en="Sent with Proton Mail secure email.",
        fr="Envoyé avec la messagerie sécurisée Proton Mail.",
        it="Inviato con l'email sicura Proton Mail.",
    )
    attribution = say(
        typed,
        de=f"Am Samstag, 21. November 2026 um 10:00 schrieb {typed.by}:\n",
        en=f"On Saturday, November 21st, 2026 at 10:00 AM, {typed.by} wrote:\n",
        fr=f"Le samedi 21 novembre 2026 à 10:00, {typed.by} a écrit :\n",
        it=f"Il sabato 21 novembre 2026 alle 10:00, {typed.by} ha scritto:\n",
    )
    plain = f"{typed.words}\n\n{sent}\n\n{attribution}\n{marked(typed.letter)}\n"
    html = (
        f'<div style="font-family: Arial;">{paragraphs(typed.words)}</div><div class="protonmail_signature_block">{sent}'
        f'</div><div class="protonmail_quote">{escape(attribution)}<br><blockquote class="protonmail_quote" type="cite">'
        f"{typed.page}</blockquote></div>"
    )
    body = multipart("alternative", part("plain", plain, transfer="base64"), part("html", html, transfer="base64"))
    return mail(typed, body, "X-Pm-Message-ID: 7f0a")


def proton_html(typed: Typed) -> bytes:
    html = (
        f'<div style="font-family: Arial;">{paragraphs(typed.words)}</div><div class="protonmail_quote">On Saturday, '
        f'{OURS} wrote:<br><blockquote class="protonmail_quote">{typed.page}</blockquote></div>'
    )
    return mail(typed, part("html", html), "X-Pm-Message-ID: 7f0b")


def mutt_signed(typed: Typed) -> bytes:
    signature = (
        b"Content-Type: application/pgp-signature; name=signature.asc\r\n\r\n-----BEGIN PGP SIGNATURE-----\r\niQ==\r\n"
    )
    plain = part("plain", around(typed, f"On 2026-11-21 10:00, {OURS} wrote:"), "utf-8", "8bit", "; format=flowed")
    return mail(typed, multipart("signed", plain, signature), "User-Agent: NeoMutt/20240425")


def yahoo(typed: Typed) -> bytes:
    attribution = say(
        typed,
        de=f"    Am Samstag, 21. November 2026 um 10:00:00 MEZ hat {typed.by} Folgendes geschrieben:  ",
        en=f"    On Saturday, 21 November 2026 at 10:00:00 CET, {typed.by} wrote:  ",
        fr=f"    Le samedi 21 novembre 2026 à 10:00:00 UTC+1, {typed.by} a écrit :  ",
        it=f"    Il sabato 21 novembre 2026 alle ore 10:00:00 CET, {typed.by} ha scritto:  ",
    )
    html = (
        f'<html><head></head><body><div class="ydp1a2b yahoo-style-wrap">{paragraphs(typed.words)}</div>'
        f'<div id="ydp9c" class="yahoo_quoted"><div>{escape(attribution)}</div>{typed.page}</div></body></html>'
    )
    plain = f" {typed.words}\n\n{attribution}\n \n {typed.letter}"
    body = multipart("alternative", part("plain", plain, "UTF-8"), part("html", html, "UTF-8"))
    return mail(typed, body, "X-Mailer: WebService/1.1.24866 YMailNorrin")


def yahoo_app(typed: Typed) -> bytes:
    html = (
        f'{paragraphs(typed.words)}<br><br><p class="yahoo-quoted-begin" style="font-size:15px;">On Saturday, November 21, '
        f'2026, 10:00, {escape(typed.by)} wrote:</p><blockquote class="iosymail">{typed.page}'
        "</blockquote>"
    )
    return mail(typed, part("html", html, "utf-8", "base64"), "X-Mailer: WebService/1.1.24866 AndroidMobile")


def open_xchange(typed: Typed) -> bytes:
    attribution = say(
        typed,
        de=f"{typed.by} hat am 21.11.2026 10:00 CET geschrieben:",
        en=f"On 11/21/2026 10:00 AM CET {typed.by} wrote:",
        fr=f"Le 21/11/2026 10:00 CET, {typed.by} a écrit :",
        it=f"Il 21/11/2026 10:00 CET {typed.by} ha scritto:",
    )
    plain = f"{typed.words}\n\n> {attribution}\n> \n>  \n{marked(typed.letter)}\n"
    html = (
        f'<!doctype html><html><body>{paragraphs(typed.words)}<blockquote type="cite"><div>{escape(attribution)}</div>'
        f"{typed.page}</blockquote></body></html>"
    )
    body = multipart("alternative", part("plain", plain), part("html", html))
    return mail(typed, body, "X-Mailer: Open-Xchange Mailer v7.10.6-Rev67")


def samsung(typed: Typed) -> bytes:
    title, sent = say(
        typed,
        de="-------- Ursprüngliche Nachricht --------|Von meinem Galaxy gesendet",
        en="-------- Original message --------|Sent from my Galaxy",
        fr="-------- Message d'origine --------|Envoyé depuis mon appareil Galaxy",
        it="-------- Messaggio originale --------|Inviato dal mio Galaxy",
    ).split("|")
    plain = f"{typed.words}\n\n{sent}\n\n{title}\n{_block_of_text(typed)}\n{typed.letter}"
    html = (
        f'<html><body dir="auto">{paragraphs(typed.words, "div", " dir=auto")}<div id="composer_signature" dir="auto">'
        f'{sent}</div><div align="left" dir="auto"><div>{title}</div>'
        + "".join(f"<div>{name} {escape(value)} </div>" for name, value in _outlook_block(typed))
        + f"</div>{typed.page}</body></html>"
    )
    plain_part, html_part = part("plain", plain, transfer="base64"), part("html", html, transfer="base64")
    return mail(typed, multipart("alternative", plain_part, html_part, boundary="--_com.samsung.android_1"), "X-Sam: 1")


def notes(typed: Typed) -> bytes:
    plain = (
        f"{typed.words}\n\n\n-----{typed.by} schrieb: -----\nAn: {ADA}\nVon: {typed.by}\n"
        f"Datum: 21.11.2026 10:00\nBetreff: Tuesday stars\n\n{typed.letter}"
    )
    return mail(typed, part("plain", plain, "iso-8859-1"), "X-Mailer: HCL Domino Release 14.0")


def em_client(typed: Typed) -> bytes:
    title, names = say(
        typed,
        de="------ Originalnachricht ------|Von An Datum Betreff",
        en="------ Original Message ------|From To Date Subject",
        fr="------ Message d'origine ------|De À Date Objet",
        it="------ Messaggio originale ------|Da A Data Oggetto",
    ).split("|")
    values = (f'"{OURS}" <{typed.answered.sender}>', typed.answered.reader, "21.11.2026 10:00:00", "Tuesday stars")
    block = "\n".join(f"{name} {value}" for name, value in zip(names.split(), values, strict=True))
    plain = f"{typed.words}\n\n{title}\n{block}\n\n{typed.letter}"
    return mail(
        typed, part("plain", plain, "utf-8", "quoted-printable", "; format=flowed"), "User-Agent: eM_Client/10.1"
    )


def tutanota(typed: Typed) -> bytes:
    html = (
        f"<html><body>{paragraphs(typed.words)}<div><br></div><div>21. Nov. 2026, 10:00 von {typed.answered.sender}:<br></div>"
        f'<blockquote class="tutanota_quote" style="border-left: 1px solid #93A3B8;">{typed.page}'
        "</blockquote></body></html>"
    )
    return mail(typed, part("html", html, "utf-8", "base64"), "X-Mailer: Tuta")


def orange(typed: Typed) -> bytes:
    block = f"Message du 21/11/26 10:00\nDe : {typed.by}\nA : {ADA}\nCopie à : \nObjet : Tuesday stars\n\n"
    return mail(
        typed, part("plain", f"{typed.words}\n\n\n{marked(block + typed.letter)}\n"), "X-Wum-Nature: EMAIL-NATURE"
    )


def libero(typed: Typed) -> bytes:
    plain = f"{typed.words}\n\n\nIl 21/11/2026 10:00 CET {typed.by} ha scritto:\n\n \n{marked(typed.letter, '>  ')}\n"
    return mail(typed, part("plain", plain, "UTF-8", "quoted-printable"), "X-Mailer: Open-Xchange Mailer v8")


def aol(typed: Typed) -> bytes:
    plain = f" {typed.words}\n\n \n\n-----Original Message-----\nFrom: {typed.by}\nTo: ada <{ADA}>\n\n{typed.letter}"
    return mail(typed, part("plain", plain, "us-ascii", "7bit"), "X-Mailer: AOL Webmail")


def zoho(typed: Typed) -> bytes:
    plain = f"{typed.words}\n\n\n\n---- On Sat, 21 Nov 2026 10:00:00 +0100 {typed.by} wrote ----\n\n{typed.letter}"
    html = (
        f'<div>{paragraphs(typed.words)}</div><div class="zmail_extra_hr"><br></div><div class="zmail_extra"><div>---- On '
        f'Sat, 21 Nov 2026 <b>{OURS}</b> wrote ---</div><blockquote id="blockquote_zmail">{typed.page}'
        "</blockquote></div>"
    )
    return mail(typed, multipart("alternative", part("plain", plain), part("html", html)), "User-Agent: Zoho Mail")


def windows_mail(typed: Typed) -> bytes:
    sent = say(
        typed,
        de="Gesendet von Mail für Windows",
        en="Sent from Mail for Windows",
        fr="Envoyé à partir de Courrier pour Windows",
        it="Inviato da Posta per Windows",
    )
    block = "<br>".join(f"<b>{name} </b>{escape(value)}" for name, value in _outlook_block(typed))
    html = (
        f'<html><body><div class="WordSection1">{paragraphs(typed.words, "p", " class=MsoNormal")}<p class="MsoNormal">{sent}'
        f'</p><p class="MsoNormal">&nbsp;</p><div style="mso-element:para-border-div;border-top:solid #E1E1E1 1.0pt"><p '
        f'class="MsoNormal" style="border:none;padding:0cm">{block}</p></div>{typed.page}</div></body></html>'
    )
    return mail(typed, part("html", html, "Windows-1252"), "X-MS-TNEF-Correlator:")


def fresh(typed: Typed) -> bytes:
    return mail(typed, part("plain", typed.words + "\n", "utf-8", "8bit"), "X-Mailer: any")


ANYWHERE = ("top", "bottom", "inline")
PROGRAMS: dict[str, Program] = {
    "gmail": Program(gmail, ANYWHERE),
    "gmail-android": Program(gmail_android, ANYWHERE),
    "outlook": Program(outlook),
    "outlook-html-only": Program(outlook_html_only),
    "outlook-2003": Program(outlook_2003),
    "outlook-web": Program(outlook_web),
    "outlook-mobile": Program(outlook_mobile),
    "apple-mail": Program(apple_mail, ANYWHERE),
    "iphone": Program(iphone),
    "iphone-html": Program(iphone_html),
    "thunderbird": Program(thunderbird, ANYWHERE),
    "thunderbird-html": Program(thunderbird_html, ("top", "bottom")),
    "gmx": Program(gmx),
    "gmx-app": Program(gmx_app),
    "proton": Program(proton),
    "proton-html": Program(proton_html),
    "k9": Program(k9, ANYWHERE),
    "mutt": Program(mutt, ANYWHERE),
    "mutt-signed": Program(mutt_signed, ANYWHERE),
    "yahoo": Program(yahoo),
    "yahoo-app": Program(yahoo_app),
    "evolution": Program(evolution, ANYWHERE),
    "kmail": Program(kmail, ANYWHERE),
    "roundcube": Program(roundcube, ANYWHERE),
    "open-xchange": Program(open_xchange),
    "samsung": Program(samsung),
    "notes": Program(notes),
    "em-client": Program(em_client),
    "tutanota": Program(tutanota),
    "orange": Program(orange),
    "libero": Program(libero),
    "aol": Program(aol),
    "zoho": Program(zoho),
    "gnus": Program(gnus, ANYWHERE),
    "claws": Program(claws, ANYWHERE),
    "fastmail": Program(fastmail, ANYWHERE),
    "horde": Program(horde, ANYWHERE),
    "windows-mail": Program(windows_mail),
    "initials": Program(initials, ANYWHERE),
    "fresh": Program(fresh),
}
