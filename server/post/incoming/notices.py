"""Confidentiality notices and warnings about external senders, which companies and mail gateways add to emails.

Players haven't written these sentences, so they can't contradict a move.
"""

import re
from collections.abc import Sequence

from server.post.incoming.quotes import is_drawn

_TAG = re.compile(  # alone on its line, or in brackets before the subject
    r"\W{0,12}(?:(?:e[xk][ts](?:t?ern(?:al|e[rs]?|[oaíá]|ý|í)?)?|outside|suspicious|spam|unverified|extérieur|esterno|zewnętrzn[ya]|внешн\w{2}|зовнішн\w{1,2}|dış|harici)"
    r"(?:[ -](?:e-?mails?|mails?|messages?|nachricht|senders?|absender|message|messaggio|courriel|expéditeur|mittente|correo|remitente|afzender"
    r"|bericht|wiadomość|nadawca|mensagem|avsändare|meddelande|odesílatel|zpráva|e-?posta|gönderen|письмо|отправитель|лист|відправник)){0,1}"
    r"|(?:外部|社外)(?:メール|邮件|郵件|发件人|寄件者){0,1}"
    r"|(?:(?:data |information )?classification|klassifi(?:kation|zierung)|(?:sensi|vertrau)\w{3,10}(?:sstufe)?|confidential(?:ity|ité)|classifica(?:zione|ção)|clasificación|rubricering|klasyfikacja)"
    r" ?: ?\w{1,20}(?:[ /-]\w{1,20}){0,3}|tlp ?: ?(?:clear|white|green|amber|red)(?:\+strict)?|(?:for )?internal(?: use)?(?: only)?|public|confidential|restricted|disclaimer"
    r"|(?:(?:[A-Z]\d|\w{1,20}) ?[–-]? ?)?(?:confidential|internal(?: use)?|restricted|proprietary|public)|(?:top )?secret|(?:un)?classified|official(?:[- ]sensitive)?"
    r"|(?:report(?: as)? |mark as )?(?:suspicious|phishing|spam)|(?:un)?(?:verified|known|trusted|usual) sender|(?:this |the )?sender is (?:un)?(?:verified|known|trusted)"
    r"|nur für den (?:internen|dienst)\W?(?:gebrauch|lichen gebrauch)|usage interne|uso interno|uso interno|intern|vertraulich)\W{0,12}",
    re.IGNORECASE,
)
_TELLING = re.compile(  # two of these make a notice; must not contain what players write when they change their mind
    r"\b(?:(?:caution|warning|important|disclaimer|achtung|vorsicht|wichtig(?:er hinweis)?|hinweis|attention|avertissement|attenzione|avviso)(?= ?[:!–-])"
    # en
    r"|intended (?:only |solely |exclusively )?(?:for|recipients?|addressees?)|(?:named|intended) addressees?|addressees? only"
    r"|received (?:this|it|the)?(?: \w{1,12}){0,3} in error|confidential\w{0,5}|(?:legally )?privileged|proprietary|disclaimer"
    r"|(?:notify|inform|contact|advise|telling|tell) (?:the |us |its )?(?:sender|immediately)|unauthori[sz]ed|disclosure|disseminat\w{1,6}"
    r"|distribution|copying|prohibited|return e-?mail|reply e-?mail|virus(?:es)?|malware"
    r"|attachments?|liabilit(?:y|ies)|liable|the (?:use|sole use) of|registered (?:in|office|number)|company (?:number|registration)"
    r"|before printing|environment|outside (?:of )?(?:the|your|our)|external (?:e-?mail|sender|source|message)|(?:recogni[sz]e|know|trust|verify) the sender"
    r"|click (?:on )?(?:any )?links?|(?:don[’']?t|do not) often get|learn why this is|virus-free|exercise caution|use caution|phishing|opinions expressed|views? of the author"
    # de
    r"|vertraulich\w{0,4}|bestimmungsgemäße\w{0,2}|(?:richtige[rn]?|vorgesehene[rn]?|beabsichtigte[rn]?|genannte[rn]?) (?:adressat|empfänger)\w{0,3}"
    r"|(?:irrtümlich|versehentlich|fälschlich\w{0,6}) (?:erhalten|zugegangen|zugesandt|zugestellt|bekommen)|(?:den|unseren|des|der) absenders?"
    r"|(?:benachrichtig|informier|verständig|unterricht)\w{1,4}(?: \w{1,12}){0,3} absender|rechtlich geschützt\w{0,3}|unerlaubte\w{0,2}|unbefugte\w{0,2}|weitergabe|weiterleitung"
    r"|vervielfältigung|nicht gestattet|untersagt|verboten|anhänge\w{0,2}|anlagen|viren|schadsoftware|haftung"
    r"|geschäftsführ\w{1,8}|handelsregister|amtsgericht|registergericht|ust-?id\w{0,3}|vor dem (?:aus)?druck\w{0,3}|umwelt|externe[rnsm]? (?:e-?mail|absender|quelle|mail|nachricht)"
    r"|außerhalb (?:der|unserer|ihrer|des)|klicken sie|vorsicht|nur für (?:den|die)|ausschließlich für"
    # fr
    r"|confidentiel\w{0,4}|confidentialité|destinataires?|(?:reçu|parvenu)e?s?(?: \w{1,12}){0,3} par erreur|(?:l[’']|son |en informer |avertir )expéditeur|immédiatement"
    r"|non autorisée?|interdite?s?|diffusion|divulgation|reproduction|strictement|virus informatiques?|pièces? jointes?"
    r"|responsabilité|avant d[’']imprimer|l[’']environnement|expéditeur externe|(?:provient|extérieur|dehors) (?:de|d[eu]s?) l?[’']?\w{1,20}|cliquez (?:pas|sur)|à l[’'](?:usage|intention|attention) (?:exclusi\w{1,3}|d\w{1,2})"
    # it
    r"|riservat\w{1,4}|confidenzial\w{1,3}|destinatari\w{0,3}|(?:ricevuto|ricevuta|pervenuto|ricevesse|ricevut\w)(?: \w{1,12}){0,4} per errore|(?:il|al|lo) mittente"
    r"|vietat\w|divulgazione|diffusione|riproduzione|non autorizzat\w|allegat\w|responsabilità|prima di stampare|l[’']ambiente|mittente esterno"
    # es, pt
    r"|confidencia\w{1,6}|destinatári[oa]s?|exclusiv\w{1,8}|por (?:error|engano)|remitente|remetente|prohibid[oa]s?|proibid[oa]s?|adjunt[oa]s?|anexos?"
    r"|medio ?ambiente|meio ambiente|antes de imprimir|datos(?: personales)?|dados(?: pessoais)?|lopd|lgpd|fuera de|fora d[ao]"
    # nl, sv, da, no
    r"|vertrouwelijk\w?|geadresseerden?|bestemd|ten onrechte|afzender|bijlagen?|verspreiding|milieu|persoonsgegevens|buiten"
    r"|konfidentiell\w?|mottagaren?|mottakeren|modtageren|adressaten|avsändaren?|avsenderen|afsenderen|avsedd\w?|personuppgifter|bilagor|fortrolig\w?|utanför|utenfor|uden for"
    # pl, cs
    r"|poufn\w{1,3}|adresat\w{0,3}|wyłącznie|nadawc\w{1,3}|załącznik\w{0,3}|danych osobowych|rodo|wydrukiem|środowisk\w{1,2}|spoza"
    r"|důvěrn\w{1,3}|adresát\w{0,3}|výhradně|odesílatel\w{0,2}|příloh\w{1,2}|osobních údajů|životní\w{0,2} prostředí|omylem|mimo"
    # tr, ru, uk
    r"|gizli\w{0,5}|alıcı\w{0,6}|yanlışlıkla|gönderen\w{0,4}|ekleri?|kvkk|kişisel veri\w{0,6}|dışından"
    r"|конфиденциальн\w{1,4}|адресат\w{0,3}|получател\w{1,3}|отправител\w{1,3}|вложени\w{1,3}|исключительно|по ошибке|внешн\w{2,3}"
    r"|конфіденційн\w{1,4}|одержувач\w{0,3}|відправник\w{0,3}|вкладенн\w{1,2}|виключно|зовнішн\w{2,4}"
    # all
    r"|unsubscribe|you (?:are|have) receiv\w{2,3}|personal data|protected by|datenschutz\w{0,14}|personenbezogene\w?|kenntnisnahme|bezeichneten"
    r"|d\. ?lgs|gdpr|rgpd|dsgvo|regolamento (?:ue|europeo)|privacy|esterno all[’']|cliccare|esterno|proviene da\w{0,3}"
    r")(?!\w)|機密|秘密|機微|誤って|誤送信|削除|社外|受信者|本メール|印刷|環境|保密|机密|收件人|收件者|附件|本邮件|本郵件|误|打印|病毒|ウイルス|個人情報|个人信息",
    re.IGNORECASE,
)
_ABOUT_MAIL = re.compile(
    r"\b(?:e-?mails?|messages?|communication|transmission|sender|recipients?|nachricht|mitteilung|absenders?|empfängers?|kopien?|inhalt|courriels?|courriers?|expéditeur|destinataires?|messaggi?o?"
    r"|comunicazione|mittente|destinatari\w|copie?s?|contents?|contenuto|informationen?|informazioni|information|links?|document"
    r"|correos?|mensajes?|mensagem|mensagens|bericht(?:en)?|meddelande\w{0,2}|wiadomoś\w{1,2}|zpráv\w|e-?posta\w{0,3}|сообщени\w{1,2}|письм\w{1,2}|повідомленн\w|лист"
    r"|delete|destroy|löschen|vernichten|détruire|supprimer|cancellarl\w|cancellare|distruggere|eliminarl\w|eliminare)\b",
    re.IGNORECASE,
)
_ABOUT_PLAY = re.compile(  # words about the game, and the first person
    r"\b(?:(?-i:I)|(?-i:I)[’']\w{1,2}|my|mine|me|moves?|play(?:s|ed|ing)?|turn|games?|table|stars?|ich|mein\w{0,2}|mir|mich|zug|züge|spiel\w{0,4}|zieh\w{0,3}|partie(?= (?:ist|war|nicht))|runde|je|j[’']\w{1,12}|mon|ma|mes"
    r"|coups?|jou(?:e|ez|er|ons|ais)|(?:cette|la|ma|mauvaise) partie|io|mi[oae]|miei|mosse?|gioc\w{1,5}|partit[ae]|turno|wait|warte\w?|attend\w{0,2}|aspett\w{1,3})\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?=\s)")
_BANNER = re.compile(  # one of these makes a notice
    r"\b(?:external (?:e-?mail|senders?|source)|(?:from|outside|outside of) (?:outside|your organi[sz]ation|the organi[sz]ation|the company)|often get e-?mails? from|learn why this is important"
    r"|externe[rns]? (?:absender|e-?mail|mail|nachricht)|außerhalb (?:der|unserer|ihrer) (?:organisation|firma|unternehmens)|nicht (?:oft|häufig) e-?mails? von|erfahren sie, warum"
    r"|(?:courriel|message|e-?mail|expéditeur) externe|l[’']extérieur de|souvent d[’']e-?mail|(?:recevez|obtenez|reçois) pas souvent|découvrez pourquoi|(?:mittente|messaggio|mail) estern[oa]|proviene dall[’']esterno"
    r"|spesso messaggi di posta|informazioni sul perché|virus-free|no virus found|scanned (?:by|for)"
    r"|(?:correo|remitente|mensaje|mensagem|e-?mail) extern[oa]|fuera de (?:la|su|nuestra|tu) (?:organización|empresa|compañía)|fora da (?:organização|empresa)"
    r"|externe (?:afzender|e-?mail)|buiten (?:de|onze|uw|jouw) (?:organisatie|bedrijf)|(?:spoza|poza) (?:\w{1,12} )?(?:organizacji|firmy)|zewnętrzn\w{1,4} (?:nadawc\w|wiadomoś\w{1,2})"
    r"|extern\w{0,2} (?:avsändare|avsender|afsender|odesílatel\w?)|utanför (?:\w{1,12} )?(?:organisationen|företaget)|(?:uden for|utenfor) (?:\w{1,12} )?organisa[st]jonen|mimo (?:\w{1,12} )?organizaci"
    r"|(?:kurum|kuruluş|şirket|organizasyon)\w{0,8} dışından|внешн\w{2,3} (?:отправител\w|источник\w{0,2}|почт\w)|зовнішн\w{2,4} (?:відправник\w{0,2}|джерел\w)"
    r"|(?:suele|recibe|costuma receber|recebe|ontvangt|krijgt) (?:recibir |niet )?(?:a menudo |con frecuencia |frequentemente |vaak )?(?:correos?|e-?mails?)|får inte ofta|často e-?maily?"
    r"|(?:często|rzadko) otrzymujesz|sık sık e-?posta|нечасто получаете|часто отримуєте"
    r"|usually (?:get|receive) e-?mails?|(?:unusual|unknown|first[ -]time) (?:sender|correspondent)|trust(?:ed)? (?:this |the )?sender|sender is trusted"
    r"|von au(?:ß|ss)erhalb|from outside|harici e-?posta|ekstern e-?(?:post|mail)|working hours|work flexibly"
    r"|often get e-?mail|learnaboutsenderidentification|unsubscribe|abmelden|se désinscrire"
    r"|avast|avg|mcafee|norton|kaspersky|bitdefender|g ?data|trend ?micro|eset|nod32|clamav|mailscanner|spamassassin|mimecast|barracuda|sophos|proofpoint|symantec|messagelabs"
    r"|forcepoint|ironport|forti(?:mail|guard)|hornetsecurity|retarus|trustwave|mailguard|zscaler|mailtrack)(?!\w)|外部(?:メール|邮件|郵件|の差出人|发件人|寄件)|社外から|\bpfpt\w{0,20}banner\w{0,10}|banner(?:start|end)\b",
    re.IGNORECASE,
)
_ENOUGH = 2
_LONGEST_NOTICE = 8000


def without_notices(lines: Sequence[str]) -> list[str]:
    """Blank out the sentences of notices. None of the lines may take effect."""
    kept: list[str] = []
    run: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            run.append(line)
        else:
            kept += [*_without_notice(["" if _TAG.fullmatch(it) else it for it in run]), line]
            run = []
    return _without_rules_at_top(lines, kept[:-1])


def _without_rules_at_top(lines: Sequence[str], kept: list[str]) -> list[str]:
    """Remove the drawn lines that frame a notice at the top of an email."""
    words = (nr for nr, line in enumerate(kept) if line and not is_drawn(line))
    top = next(words, len(kept))
    has_notice = any(line and not left for line, left in zip(lines[:top], kept[:top], strict=True))
    return [""] * top + kept[top:] if has_notice else kept


def _without_notice(run: list[str]) -> list[str]:
    words = " ".join(run)
    if len(words) > _LONGEST_NOTICE:
        return run
    if not _BANNER.search(words) and len({it.lower() for it in _TELLING.findall(words)}) < _ENOUGH:
        return run
    about = [nr for nr, line in enumerate(run) if _is_about(line)]
    if not about:
        return run
    first, last = about[0], about[-1]
    return [*run[:first], *_without_sentences(run[first : last + 1]), *run[last + 1 :]]


def _is_about(text: str) -> bool:
    return any(words.search(text) for words in (_TELLING, _BANNER, _ABOUT_MAIL))


def _without_sentences(lines: list[str]) -> list[str]:
    """Blank out the sentences of a notice. A sentence may span several lines."""
    text = "\n".join(lines)
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        said = " ".join(sentence.split())
        if (
            (_is_about(said) or re.search(r"\w", said) is None)
            and not said.endswith("?")
            and not _ABOUT_PLAY.search(said)
        ):
            kept.append("\n" * sentence.count("\n"))
        else:
            kept.append(sentence)
    return [line.strip() for line in "".join(kept).split("\n")]
