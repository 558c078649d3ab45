"""Mails in the shapes of many programs, generated from a seed: text above, below and around one clear move.

`clear` plays a move, `hostile` does not. Both combine a form of mail with a language, a signature, a notice, a line
above the quote, MIME and a charset. The code was written with the parts in `TUNED`. Those in `HELD_OUT` predate the
code's first run on them. Fixes covered whole kinds of them, not single ones.
"""

import base64
import quopri
from html import escape
from random import Random
from typing import NamedTuple

from tests.post.incoming.replies import more_shapes, talk
from tests.post.incoming.replies.programs import ADA, ADDRESS, LETTER, LETTER_OF_STEPS, marked

LETTERS = {"sternenhimmel": LETTER, "sternenglanz": LETTER_OF_STEPS}
MOVES = {"sternenhimmel": ("7 leo c", "5 cancer a", "10 sgr b", "B Aqr e"), "sternenglanz": ("2 lapse; finish", "1 nova c3", "3 remove d4", "2 move c3 d4")}  # fmt: skip


class Parts(NamedTuple):
    signatures: tuple[str, ...]
    footers: tuple[str, ...]
    notices: tuple[str, ...]
    banners: tuple[str, ...]
    intros: tuple[str, ...]  # above the quoted letter
    pages: tuple[str, ...]  # with {move}, {sign} and {quote}
    senders: tuple[str, ...]
    boundaries: tuple[tuple[str, str], ...]  # spelling of the boundary, and its meaning
    transfers: tuple[str, ...]
    charsets: tuple[str, ...]
    unseen: tuple[tuple[str, str], ...]  # before and behind the move


_FIRST = Parts(
    signatures=(
        *("Ada Byron, Tel. 030 1234567", "Ada Byron", "Ada Byron | Tel +49 30 1234567 | ada@example.org"),
        *("Mobil: 0171 1234567", "Viele Grüße", "Ada (she/her), www.ada.example", "Dr. Ada Byron, +1 (555) 010-9999"),
        "A. Byron\nTel. 030 1234567",
    ),
    footers=(
        *("Sent from my iPhone", "Von meinem iPhone gesendet", "Envoyé de mon iPhone", "Inviato da iPhone"),
        *("Enviado desde mi iPhone", "Verzonden vanaf mijn iPhone", "Skickat från min iPhone"),
        *("Get Outlook for Android", "Wysłane z iPhone'a", "Отправлено с iPhone"),
    ),
    notices=(
        "Diese Nachricht kann vertraulich sein. Wenn Sie sie irrtümlich erhalten haben, benachrichtigen Sie bitte den Absender.",
        (
            "This e-mail is confidential. If you are not the intended recipient, please notify the sender and delete it. Do not\n"
            "copy or use its contents unless you are authorised to do so."
        ),
        (
            "Ce message est confidentiel. S'il vous est parvenu par erreur, merci d'en informer l'expéditeur et de le détruire. Ne\n"
            "pas le diffuser."
        ),
        (
            "Le informazioni contenute in questo messaggio sono riservate ai soli destinatari. Se lo avete ricevuto per errore,\n"
            "vogliate informare il mittente e distruggerlo. Non è permessa la diffusione."
        ),
        "Please consider the environment before printing this email, and do not open attachments from unknown senders.",
    ),
    banners=(
        "[EXTERNAL]",
        (
            "CAUTION: This email originated from outside of the organization. Do not click links or open attachments unless you\n"
            "recognize the sender and know the content is safe."
        ),
        (
            "ACHTUNG: Diese E-Mail kommt von außerhalb der Organisation. Klicken Sie nicht auf Links und öffnen Sie keine Anhänge,\n"
            "es sei denn, Sie kennen den Absender."
        ),
    ),
    intros=(
        f"{'_' * 32}\nFrom: Sternenpost <{ADDRESS}>\nSent: Saturday, 21 November 2026 10:00\nTo: Ada <{ADA}>\nSubject: Stars",
        f"{'_' * 32}\nVon: Sternenpost <{ADDRESS}>\nGesendet: Samstag, 21. November 2026 10:00\nAn: Ada <{ADA}>\nBetreff: Stars",
        "*-------- Original Message --------*",
        "-----Ursprüngliche Nachricht-----",
        f"On Sat, 21 Nov 2026 at 10:00, Sternenpost <{ADDRESS}> wrote:",
        "Am 21.11.2026 um 10:00 schrieb Sternenpost:",
        f"{'_' * 32}\nLähettäjä: Sternenpost <{ADDRESS}>\nLähetetty: lauantai 21. marraskuuta 2026\nVastaanottaja: Ada <{ADA}>",
        "──────── Original ────────",
    ),
    pages=(
        (
            '<html><body dir="auto">{move}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">{sign}</div><div dir="ltr"><br>'
            '<blockquote type="cite">On 21 Nov 2026 Sternenpost wrote:<br></blockquote></div><blockquote type="cite">{quote}</blockquote></body></html>'
        ),
        (
            '<div dir="ltr">{move}</div><div class="gmail_signature" data-smartmail="gmail_signature">{sign}</div>'
            '<div class="gmail_quote"><div class="gmail_attr">On Sat wrote:</div><blockquote>{quote}</blockquote></div>'
        ),
        '<div dir="auto">{move}</div><div id="ms-outlook-mobile-signature">{sign}</div><hr><div id="divRplyFwdMsg">From: x</div>{quote}',
        '<div>{move}</div><div class="protonmail_signature_block">{sign}</div><div class="protonmail_quote">{quote}</div>',
        "<p>{move}</p><div class='moz-signature'>{sign}</div><div class='moz-cite-prefix'>On x wrote:</div><blockquote type='cite'>{quote}</blockquote>",
        '<div dir="auto">{move}</div><div id="composer_signature">{sign}</div><blockquote>{quote}</blockquote>',
    ),
    senders=(f"Ada Byron <{ADA}>", f"Ada Byron (she/her) <{ADA}>", f"{ADA} <{ADA}>", f"Ada Müller <{ADA}>", ADA),
    boundaries=(
        ("boundary*0*=us-ascii''%3D_7ea0; boundary*1*=54878_%3D", "=_7ea054878_="),
        ('boundary="000000000000a1b2"', "000000000000a1b2"),
        ("boundary*=utf-8''b%20c", "b c"),
    ),
    transfers=("8bit", "quoted-printable", "base64", '"quoted-printable"', "8bits"),
    charsets=("utf-8", "UTF-8", "utf8"),
    unseen=(("", ""), ("\u202b", "\u202c"), ("\ufeff", ""), ("\u200b", "\u200b"), ("", "\u200e"), ("\u2067", "\u2069")),
)
_SECOND = Parts(
    signatures=(
        *("Ada King, Lovelace GmbH, Fon: 089/998877-0", "T: 020 7946 0018", "ada@work.example | +33 1 70 18 99 00"),
        *("Ada Byron | Head of Engines | Tel: +44 20 7946 0018", "Ada Byron · Handy 0151-23456789"),
        *("—\nAda Byron\nBerlin", "Bien cordialement,\nAda Lefèvre\n06 12 34 56 78", "Ada B. – https://ada.example/"),
        *("Cordiali saluti\nAda Niccolò\nCell. 347 1234567", "Ing. Ada Byron, Wien, Tel. 01/5551234"),
    ),
    footers=(
        *("Sent from Mailspring", "Sent via Superhuman", "Gesendet mit Spark"),
        *("Enviado do meu smartphone Samsung Galaxy.", "Odesláno z iPhonu", "Lähetetty iPhonesta"),
        *("Elküldve az iPhone-omról", "iPhoneから送信", "发自我的iPhone", "Στάλθηκε από το iPhone μου"),
        *("Envoyé à partir de Outlook pour Android", "Inviato da Libero Mail", "Sent from my Huawei phone"),
        *("Надіслано з iPhone", "Get BlueMail for Android"),
    ),
    notices=(
        ("IMPORTANT: The contents of this email and any attachments are confidential. They are intended for the named\n"
        "recipient(s) only. If you have received this email by mistake, please notify the sender immediately and do not\n"
        "disclose the contents to anyone or make copies thereof."),
        ("Der Inhalt dieser E-Mail ist vertraulich und ausschließlich für den bezeichneten Adressaten bestimmt. Wenn Sie nicht\n"
        "der vorgesehene Adressat dieser E-Mail oder dessen Vertreter sein sollten, so beachten Sie bitte, dass jede Form der\n"
        "Kenntnisnahme, Veröffentlichung, Vervielfältigung oder Weitergabe des Inhalts dieser E-Mail unzulässig ist."),
        ("Ce courriel et les documents joints sont confidentiels et établis à l'intention exclusive de leurs destinataires. Si\n"
        "vous n'êtes pas le destinataire, merci de ne pas en prendre connaissance et de le supprimer."),
        ("Ai sensi del D.Lgs. 196/2003 si precisa che le informazioni contenute in questo messaggio sono riservate e ad uso\n"
        "esclusivo del destinatario. Qualora il messaggio Vi fosse pervenuto per errore, Vi invitiamo ad eliminarlo senza\n"
        "copiarlo e a non inoltrarlo a terzi."),
        "This communication may contain privileged information. Any unauthorised disclosure or copying is not permitted.",
        "Virus-free. www.avast.example",
        "Bitte prüfen Sie der Umwelt zuliebe, ob der Ausdruck dieser Mail erforderlich ist.",
        "Pensez à l'environnement avant d'imprimer ce message.",
        ("Acme Ltd is registered in England, company number 01234567. Registered office: 1 High Street, London. We accept no\n"
        "liability for viruses unless agreed in writing."),
        "Acme GmbH, Amtsgericht Charlottenburg HRB 12345, Geschäftsführerin: Grace Hopper. USt-IdNr. DE123456789",
    ),
    banners=(
        *("EXTERNAL EMAIL: Please be careful when opening attachments or clicking links.", "*** EXTERN ***"),
        *("[Externe E-Mail]", "You don't often get email from ada@example.org. Learn why this is important"),
        "Attention : ce message provient de l'extérieur de l'entreprise. Ne cliquez pas sur les liens si vous ne connaissez pas\nl'expéditeur.",
        "ATTENZIONE: questa mail proviene dall'esterno. Non cliccare sui link e non aprire allegati se non si conosce il mittente.",
        "WARNING: This message was sent from outside the company. Use caution with links and attachments.",
    ),
    intros=(
        "----- Původní zpráva -----",
        "---------- Viestiketju ---------",
        f"{'_' * 40}\nAfzender: Sternenpost <{ADDRESS}>\nVerzonden: zaterdag 21 november 2026\nAan: Ada <{ADA}>",
        f"{'-' * 20}\n发件人: Sternenpost <{ADDRESS}>\n发送时间: 2026-11-21\n收件人: Ada <{ADA}>",
        f"\nDen lör 21 nov. 2026 kl 10:00 skrev Sternenpost <{ADDRESS}>:",
        f"sob., 21 lis 2026 o 10:00 Sternenpost <{ADDRESS}> napisał(a):",
        f"From: Sternenpost [mailto:{ADDRESS}]\nSent: 21 November 2026 10:00\nTo: Ada\nSubject: RE: Stars",
        f"De : Sternenpost <{ADDRESS}>\nEnvoyé : samedi 21 novembre 2026 10:00\nÀ : Ada\nObjet : Stars",
        "= = = Original message = = =",
        "==== Oprindelig meddelelse ====",
        f"Em sáb., 21 de nov. de 2026 às 10:00, Sternenpost <{ADDRESS}> escreveu:",
        "> ---- Message d'origine ----",
        f"21.11.2026, 10:00, \"Sternenpost\" <{ADDRESS}>:",
    ),
    pages=(
        ('<div name="messageBodySection"><div dir="auto">{move}</div></div><div name="messageSignatureSection"><br>{sign}</div>'
        '<div name="messageReplySection">On 21 Nov 2026, Sternenpost wrote:<br><blockquote type="cite">{quote}</blockquote></div>'),
        ('<div dir="auto">{move}<br><br></div><div dir="auto"><!-- tmjah_g_1299s --><div class="k9mail-signature">{sign}</div></div>'
        '<div class="gmail_quote"><blockquote class="gmail_quote">{quote}</blockquote></div>'),
        '<html><body><div id="bloop_customfont">{move}</div><div class="bloop_sign">{sign}</div><blockquote class="clean_bq">{quote}</blockquote></body></html>',
        ('<div class="WordSection1"><p class="MsoNormal">{move}<o:p></o:p></p><div id="Signature"><p class="MsoNormal">{sign}</p></div></div>'
        '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Von:</b> x</div>{quote}'),
        '<body><div>{move}</div><br><div id="ydp1a2bsignature" class="ydp1a2bsignature">{sign}</div><div id="ydp9c" class="yahoo_quoted">{quote}</div></body>',
        '<table><tr><td>{move}</td></tr></table><p>-- <br>{sign}</p><blockquote>{quote}</blockquote>',
        '<div style="font-family:Arial">{move}</div><div class="tutanota_signature">{sign}</div><div class="tutanota_quote">{quote}</div>',
        '<div>{move}</div><div data-signature-widget="container"><div class="js-signature">{sign}</div></div><blockquote class="mail-quote">{quote}</blockquote>',
    ),
    senders=(
        f'"Ada Byron" <{ADA}>',
        f"Ada Byron [Stars] <{ADA}>",
        f"{ADA} (Ada Byron)",
        f"'{ADA}' <{ADA}>",
        f"Ada 🌟 Byron <{ADA}>",
        f"Ada (a (nested) comment) Byron <{ADA}>",
        f"=?utf-8?Q?Ada_M=C3=BCller?= <{ADA}>",
        f"ADA@EXAMPLE.ORG <{ADA}>",
    ),
    boundaries=(
        ('boundary*0="----=_Part_"; boundary*1="42"', "----=_Part_42"),
        ("boundary*1*=%2Fz; boundary*0*=iso-8859-1'en'a%3D", "a=/z"),
        ("BOUNDARY=Apple-Mail-7", "Apple-Mail-7"),
        ("boundary = \"a b'c\"", "a b'c"),
    ),
    transfers=("7BIT", "Quoted-Printable", "Base64", "8-bit", "binary", "quoted-printable (soft)"),
    charsets=("utf-8", "UTF-8", "Utf8"),
    unseen=(("", ""), ("\u00ad", ""), ("\u061c", ""), ("\u2060", "\u2060"), ("\u2068", "\u2069"), ("", "\ufe0f"), ("\U000e0001", "")),
)  # fmt: skip


TUNED = Parts(*(one + other for one, other in zip(_FIRST, _SECOND, strict=True)))
HELD_OUT = Parts(
    signatures=(
        *("Ada Byron – Tel.: 0049 30 998877", "Ada\n0176 4455 6677", "Mit besten Grüßen\nAda Byron\nTel. 0221 445566"),
        *("Prof. Dr. Ada Byron / Universität Köln / +49 (0)221 470-0", "Ada Byron, ada.byron@uni.example"),
        *("Phone: (555) 555-0199", "Ada Byron\nEngineer\nBabbage & Sons", "Ada Byron, Tél. : 01 44 55 66 77"),
        *("Un caro saluto\nAda", "https://ada.example | @ada", "A.B.", "Kind regards, Ada Byron, M: 07700 900123"),
    ),
    footers=(
        *("Sent from Outlook for iOS", "Gesendet von Outlook für Android", "Sent from my Galaxy Z Flip"),
        *("Von meinem Samsung Galaxy Smartphone gesendet.", "Enviado desde Outlook para iOS"),
        *("Verstuurd vanaf mijn iPhone", "Sendt fra min iPhone", "Trimis de pe iPhone-ul meu"),
        *("Gönderildi iPhone'umdan", "iPhone'umdan gönderildi", "从我的 iPhone 发送", "나의 iPhone에서 보냄"),
        *("Sent from Proton Mail for Android", "Sent from ProtonMail mobile", "Inviato da Outlook per Android"),
        *("Envoyé avec Canary Mail", "Get Outlook for Mac", "Поступило с iPhone", "Sent from Gmail Mobile"),
        "Diese Mail wurde mit FairEmail gesendet.",
    ),
    notices=(
        ("This email and any files transmitted with it are confidential and intended solely for the use of the individual or\n"
        "entity to whom they are addressed. If you have received this email in error please notify the system manager."),
        ("NOTICE: This e-mail message is for the sole use of the intended recipient(s). Any unauthorized review, use, disclosure\n"
        "or distribution is prohibited. If you are not the intended recipient, please contact the sender by reply e-mail and\n"
        "destroy all copies of the original message."),
        ("Diese E-Mail enthält vertrauliche und/oder rechtlich geschützte Informationen. Wenn Sie nicht der richtige Adressat\n"
        "sind oder diese E-Mail irrtümlich erhalten haben, informieren Sie bitte sofort den Absender und vernichten Sie diese\n"
        "Mail. Das unerlaubte Kopieren sowie die unbefugte Weitergabe dieser Mail ist nicht gestattet."),
        ("Ce message et toutes les pièces jointes sont établis à l'intention exclusive de ses destinataires et sont confidentiels.\n"
        "Si vous recevez ce message par erreur, merci de le détruire et d'en avertir immédiatement l'expéditeur. Toute\n"
        "utilisation non conforme à sa destination est interdite, sauf autorisation expresse."),
        ("Questo messaggio contiene informazioni riservate destinate esclusivamente al destinatario. Se avete ricevuto questo\n"
        "messaggio per errore, siete pregati di non utilizzarlo, di non diffonderlo e di cancellarlo."),
        "Denken Sie an die Umwelt, bevor Sie diese E-Mail ausdrucken.",
        "Scanned by MailGuard. No virus found in this message.",
        ("Internet communications cannot be guaranteed to be secure or error-free. The sender therefore does not accept liability\n"
        "for any errors or omissions in the contents of this message."),
        "Rispetta l'ambiente: non stampare questa mail se non è necessario.",
        "Informationen zum Datenschutz finden Sie unter https://acme.example/datenschutz. Acme AG, Vorstand: G. Hopper, Sitz: Köln.",
    ),
    banners=(
        *("This message is from an external sender.", "CAUTION - EXTERNAL EMAIL", "[EXT]", "** Externe Mail **"),
        "ZjQcmQRYFpfptBannerStart\nThis Message Is From an External Sender\nThis message came from outside your organization.\nZjQcmQRYFpfptBannerEnd",
        "Sie erhalten nicht häufig E-Mails von ada@example.org. Erfahren Sie, warum dies wichtig ist",
        "Vorsicht: Externer Absender! Bitte keine Links anklicken und keine Anhänge öffnen, außer der Absender ist bekannt.",
        "Vous n'obtenez pas souvent d'e-mail à partir de ada@example.org. Découvrez pourquoi cela est important",
        "⚠ Courriel externe : soyez prudent avec les pièces jointes et les liens.",
        "Non si ricevono spesso messaggi di posta elettronica da ada@example.org. Informazioni sul perché è importante",
    ),
    intros=(
        "-------- Forwarded Message --------",
        "-----Messaggio originale-----",
        "-------- Alkuperäinen viesti --------",
        "------- Mensaje original -------",
        f"{'_' * 32}\nDe: Sternenpost <{ADDRESS}>\nEnviado: sábado, 21 de noviembre de 2026\nPara: Ada <{ADA}>\nAsunto: Stars",
        f"{'_' * 32}\nFra: Sternenpost <{ADDRESS}>\nSendt: 21. november 2026\nTil: Ada <{ADA}>\nEmne: Stars",
        f"{'_' * 32}\nOd: Sternenpost <{ADDRESS}>\nOdesláno: sobota 21. listopadu 2026\nKomu: Ada <{ADA}>\nPředmět: Stars",
        f"{'_' * 32}\nGönderen: Sternenpost <{ADDRESS}>\nGönderildi: 21 Kasım 2026\nKime: Ada <{ADA}>\nKonu: Stars",
        f"Il giorno sab 21 nov 2026 alle ore 10:00 Sternenpost <{ADDRESS}> ha scritto:",
        f"El sáb, 21 nov 2026 a las 10:00, Sternenpost (<{ADDRESS}>) escribió:",
        f"Le sam. 21 nov. 2026 à 10:00, Sternenpost <{ADDRESS}> a écrit :",
        f"Op za 21 nov 2026 om 10:00 schreef Sternenpost <{ADDRESS}>:",
        f"2026年11月21日(土) 10:00 Sternenpost <{ADDRESS}>:",
        f"сб, 21 нояб. 2026 г. в 10:00, Sternenpost <{ADDRESS}>:",
        "~~~~~~ Original message ~~~~~~",
        "*From:* Sternenpost\n*Sent:* Saturday, 21 November 2026 10:00\n*To:* Ada\n*Subject:* Stars",
    ),
    pages=(
        '<div id="edo-message"><div>{move}</div></div><div id="edo-signature" style="margin:12px 0">{sign}</div><div id="edo-original"><blockquote>{quote}</blockquote></div>',
        '<div dir="auto">{move}</div><div dir="auto"><br></div><div id="mail-app-auto-default-signature">{sign}</div><div id="ymail_android_signature"></div><blockquote>{quote}</blockquote>',
        '<div class="default-style">{move}</div><div class="io-ox-signature">{sign}</div><blockquote type="cite">{quote}</blockquote>',
        '<div style="font-family:sans-serif">{move}</div><div><br></div><div class="protonmail_signature_block-user">{sign}</div><div class="protonmail_quote">{quote}</div>',
        '<p>{move}</p><pre class="moz-signature" cols="72">{sign}</pre><blockquote type="cite">{quote}</blockquote>',
        '<body><div>{move}</div><div id="AppleMailSignature"><br>{sign}</div><div><br>On 21 Nov 2026, at 10:00, x wrote:<br></div><blockquote type="cite">{quote}</blockquote></body>',
        '<div dir="ltr"><div>{move}</div><br clear="all"><div><div dir="ltr" class="gmail_signature">{sign}</div></div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">x<br></div><blockquote class="gmail_quote">{quote}</blockquote></div>',
        '<div class="elementToProof">{move}</div><div class="elementToProof" id="Signature">{sign}</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"></div>{quote}',
        '<div class="x-zoho">{move}</div><div id="Zm-_Id_-Sgn" data-sigid="1" class="zmail_signature_below">{sign}</div><blockquote>{quote}</blockquote>',
    ),
    senders=(
        f"Byron Ada <{ADA}>",
        f"Ada (Stars) <{ADA}>",
        f'"{ADA}" <{ADA}>',
        f"<{ADA}>",
        f"Ada Byron <{ADA}> (she/her)",
        f"Ädä Bÿrön <{ADA}>",
        f"=?iso-8859-1?Q?Ada_M=FCller?= <{ADA}>",
        f"ada@Example.org <{ADA}>",
        f"Ada | Stars <{ADA}>",
    ),
    boundaries=(
        ("boundary=_004_AM9PR_", "_004_AM9PR_"),
        ('boundary*0="----ALT--12"; boundary*1="34"; boundary*2="56"', "----ALT--123456"),
        ("charset=utf-8; boundary*=''x%2By", "x+y"),
    ),
    transfers=("8Bit", "BASE64", "'quoted-printable'", "7-bit", "8bit;", "utf-8"),
    charsets=("utf-8", "utf_8", "UTF8"),
    unseen=(("", ""), ("\u200e", "\u200f"), ("\u202a", "\u202c"), ("\u2066", "\u2069"), ("\u200c", "\u200d"), ("\u180e", ""), ("", "\ufe0e")),
)  # fmt: skip


MORE = Parts(
    signatures=more_shapes.SIGNATURES,
    footers=more_shapes.FOOTERS,
    notices=more_shapes.NOTICES,
    banners=more_shapes.BANNERS,
    intros=more_shapes.INTROS,
    pages=more_shapes.PAGES,
    senders=more_shapes.SENDERS,
    boundaries=more_shapes.BOUNDARIES,
    transfers=more_shapes.TRANSFERS,
    charsets=("utf-8", "utf8mb4", "'utf-8'"),
    unseen=more_shapes.UNSEEN,
)


class Mail(NamedTuple):
    raw: bytes
    game: str
    move: str  # that is meant, or must not act
    before: str = ""  # what the player wrote in an earlier mail


def clear(dice: Random, parts: Parts) -> Mail:
    """Return a mail that plays one move among any other text."""
    game = dice.choice(list(MOVES))
    move = dice.choice(MOVES[game])
    said = talk.SAID[dice.choice(list(talk.SAID))]
    above = "\n\n".join(filter(None, [_maybe(dice, parts.banners, 0.25), _maybe(dice, said.greetings, 0.4)]))
    before, behind = dice.choice(parts.unseen)
    return Mail(_mail(dice, parts, above, f"{before}{move}{behind}", "", LETTERS[game]), game, move)


def hostile(dice: Random, parts: Parts) -> Mail:
    """Return a mail in the same shapes whose move is unintended or in doubt."""
    game = dice.choice(list(MOVES))
    move, other = dice.sample(MOVES[game], 2)
    said = talk.SAID[dice.choice(list(talk.SAID))]
    letter = LETTERS[game].replace("Have fun!", f"Your mail said:\n\n  {move}\n\nHave fun!")
    match dice.randrange(11):
        case 0:  # our letter, quoted below words
            words, before = dice.choice(["ok thanks", "Danke!", "What a game!", said.friendly[0]]), ""
            return Mail(_mail(dice, parts, "", words, "", f"{move}\n\n{letter}"), game, move, before)
        case 1:  # an earlier mail of the player's
            return Mail(
                _mail(dice, parts, "", dice.choice(["ok thanks", "Danke!"]), "", f"{move}\n\nAda"), game, move, move
            )
        case 2:
            words = dice.choice(["not {}", "No, not {}", "I would not play {}", "nicht {}", "pas {}", "non {}"]).format(
                move
            )
            return Mail(_mail(dice, parts, "", words, "", letter), game, move)
        case 3:
            words = dice.choice(["{}?", "May I play {}?", "Is {} allowed?", "Darf ich {}?"]).format(move)
            return Mail(_mail(dice, parts, "", words, "", letter), game, move)
        case 4 | 5:
            return Mail(_mail(dice, parts, "", move, dice.choice(said.against), letter), game, move)
        case 6:
            second = f"{move}\n{other}" if game == "sternenhimmel" else f"{move}\n2 lapse; finish\n3 lapse; finish"
            return Mail(_mail(dice, parts, "", second, "", letter), game, move)
        case 7:  # forwarded
            head = f"Begin forwarded message:\n\nFrom: Ben <ben@example.org>\nSubject: Stars\nTo: Ada <{ADA}>"
            return Mail(_mail(dice, parts, "", f"fyi\n\n{head}\n\n{move}", "", letter), game, move)
        case 8:  # a page that hides the move or shows it as another person's
            unseen = dice.choice(more_shapes.UNSEEN_MOVES).format(move=move).replace("{", "{{").replace("}", "}}")
            only_page = parts._replace(pages=(f"<p>{{move}}</p>{unseen}<blockquote>{{quote}}</blockquote>",))
            return Mail(_mail(dice, only_page, "", "ok thanks", "", letter, kinds=1), game, move)
        case 9:
            marks = [
                "Auto-Submitted: auto-replied\r\n",
                "X-Autoreply: yes\r\n",
                "Precedence: bulk\r\n",
                "X-Auto-Response-Suppress: All\r\n",
            ]
            return Mail(_mail(dice, parts, "", move, "", letter, dice.choice(marks)), game, move)
        case _:
            senders = (
                f"{ADA} <mallory@example.net>",
                f"{ADA}, mallory@example.net",
                f"mallory@example.net <{ADA}>",
                f"Ada (mallory@example.net) <{ADA}>",
                f'"mallory@example.net" <{ADA}>',
            )
            return Mail(_mail(dice, parts._replace(senders=senders), "", move, "", letter), game, move)  # fmt: skip


def _maybe(dice: Random, some: tuple[str, ...], share: float) -> str:
    return dice.choice(some) if dice.random() < share else ""


def _mail(
    dice: Random, parts: Parts, above: str, move: str, below: str, letter: str, head: str = "", kinds: int = 3
) -> bytes:
    sign = dice.choice(["", *parts.signatures, *parts.footers, dice.choice(parts.footers)])
    notice = _maybe(dice, parts.notices, 0.4)
    notice_first = dice.random() < 0.5
    said = "\n\n".join(filter(None, (above, move)))
    if below:
        said = f"{said}\n\n{below}" if dice.random() < 0.7 else f"{below}\n\n{said}"
    plain = said + (dice.choice(["\n", "\n\n"]) + sign if sign else "")
    plain += f"\n\n{notice}" if notice and notice_first else ""
    plain += dice.choice(["\n", "\n\n"]) + dice.choice(parts.intros)
    plain += dice.choice(["\n", "\n\n"]) + (marked(letter) if dice.random() < 0.3 and not head else letter)
    plain += f"\n\n{notice}" if notice and not notice_first else ""
    page = dice.choice(parts.pages).format(move=_lines(said), sign=_lines(sign), quote=_lines(letter))
    page += f"<div>{_lines(notice)}</div>" if notice else ""
    top = f"From: {dice.choice(parts.senders)}\r\nTo: {ADDRESS}\r\nSubject: Re: Stars\r\n{head}MIME-Version: 1.0\r\n"
    texts = dice.choice([[("html", page)], [("plain", plain)], [("plain", plain), ("html", page)]][:kinds])
    bodies = [_part(dice, parts, kind, text) for kind, text in texts]
    if len(bodies) == 1 and dice.random() < 0.5:
        return top.encode() + bodies[0]
    written, boundary = dice.choice(parts.boundaries)
    kind = "alternative" if len(bodies) == 2 else "mixed"
    body = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), it) for it in bodies) + b"--%s--\r\n" % boundary.encode()
    return top.encode() + f"Content-Type: multipart/{kind}; {written}\r\n\r\n".encode() + body


def _lines(text: str) -> str:
    return escape(text, quote=False).replace("\n", "<br>")


def _part(dice: Random, parts: Parts, kind: str, text: str) -> bytes:
    octets, transfer = text.replace("\n", "\r\n").encode(), dice.choice(parts.transfers)
    if "quoted" in transfer.lower():
        octets = quopri.encodestring(octets.replace(b"\r\n", b"\n")).replace(b"\n", b"\r\n")
    elif "base64" in transfer.lower():
        octets = base64.encodebytes(octets).replace(b"\n", b"\r\n")
    head = f'Content-Type: text/{kind}; charset="{dice.choice(parts.charsets)}"\r\nContent-Transfer-Encoding: {transfer}\r\n\r\n'
    return head.encode() + octets
