"""Checks whether prose next to a line that takes effect contradicts that line, or belongs to the same sentence.

Greetings, thanks, names and footers of mail programs may stand directly above or below such a line. Any other text
there may be the rest of a wrapped sentence. Contradictions are recognized in our four languages.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from server.post.incoming.quotes import is_drawn, is_subject, may_begin_quote
from server.post.topics import JOINING, LATE, MAILS, NIGHTS, OF_FACTS, is_about

LONGEST_SENTENCE = 2000

_NAME = r"[^\W\d_a-zß-öø-ÿ](?:\.|[\w'’-]*)"  # starts with a capital
NAMES = rf"{_NAME}(?: (?:{_NAME}|von|van|de|da|di|del|der|zu)){{0,2}}"
_HAIL = (
    r"(?i:sehr geehrte[rs]?|verehrte[rs]?|damen|herren|kære|hyvä|tisztelt|drag[ăi]|hi|hello|hey|hiya|yo|dear|greetings|(?:a )?(?:very )?good (?:morning|evening|afternoon|day)|hallo|hallöchen|moin|morgen(?! (?:früh|vormittag|mittag|nachmittag|abend)\b)|servus|grüezi"
    r"|grüß (?:gott|dich|euch)|guten (?:morgen|tag|abend)|tag|gr(?:ü|ue)(?:ß|ss)e|liebe[rs]?|salut|bonjour|bonsoir|coucou|ch[eè]re?s?"
    r"|ciao|salve|buon ?giorno|buona ?sera|car[oaie]|ihr lieben|na ihr|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?|querid[oa]s?|olá|oi|bo[am] (?:dia|tarde|noite)|prezad[oa]s?|car[oa]s|caros"
    r"|hej(?:san)?|hei|heisann|tjena|god (?:kväll|morgon|dag|aften|kveld|eftermiddag)|goddag|bästa|kära|hoi|dag|goeden?(?:dag|morgen|middag|avond)|beste|ahoj|dobrý (?:den|večer)|dobré ráno|zdravím|čau|vážen[íýá]"
    r"|cześć|dzień dobry|dobry wieczór|witam|witaj(?:cie)?|siema|drodzy|szanown[aiey]|merhaba|selam|iyi (?:günler|akşamlar)|İyi (?:günler|akşamlar)|günaydın|sayın|привет|здравствуйте|добр(?:ый|ое|ого|ий) (?:день|вечер|вечір|утро|дня|ранку)"
    r"|привіт|вітаю|доброго дня|szia|sziasztok|jó (?:napot|estét)|moi|terve|hyvää (?:päivää|iltaa)|salutare|bună(?: ziua| seara)?|zdravo|bok|γεια|καλησπέρα|καλημέρα|こんばんは|お疲れ様です|お世話になっております|各位|大家好|こんにちは|안녕하세요|안녕|你好|您好|שלום|สวัสดี|مرحبا)"
)
_HAILED = (
    r"(?i:all|everyone|everybody|folks|friends|team|there|again|zusammen|alle|allerseits|miteinander|leute|freunde|ihr"
    r"|beiden|lieben|nochmals?|tous|toutes|tout le monde|les amis|tutti|tutte|ragazzi|amici|todos|todas|a todos|amigos|allemaal|iedereen|wszystkim|państwu|państwo|alla|alle sammen|alle|všem|všichni|herkese|arkadaşlar|всем|всім|друзья|друзі|to|of|and|you|und|an|à|et|a|e)"
)
_GREETING = re.compile(rf"{_HAIL}(?:[ ,]+(?:{_HAIL}|{_HAILED}|{_NAME})){{0,5}}\W*")
_LEAD_IN = re.compile(
    r"(?:(?:and|so|here|here's|is|comes?|my|the|next|move|turn|i['’](?:d|ll)|i|like|to|choose|put|place|play|do|this|take|try|goes|answer|today|ok|okay|well|then|now|choice|und|also|hier|ist|kommt|mein|nächster|zug|ich|spiele|ziehe|setze|nehme"
    r"|versuche|es|mit|antwort|heute|dann|na|gut|nun|wahl|et|alors|voici|mon|prochain|coup|je|joue|donc|choix|ecco|la|mia|prossima|mossa|gioco|allora|scelta"
    r"|mi|jugada|movimiento|juego|entonces|este|minha|jogada|meu|lance|jogo|mijn|zet|ik|speel|mój|ruch|oto|gram|mitt|mit|drag|trekk|træk|min|můj|tah|hamlem|мой|мій|ход|хід"
    r"|siirtoni|lépésem|mutarea|mea|moj|potez|κίνησή|μου|私の手|次の手|我的走法|我的着法|나의|내|수),? ?){1,6}\W{0,3}[:：]",
    re.IGNORECASE,
)
_DAYS = (
    r"tomorrow|morgen|demain|domani|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|(?:lun|mar|mercre|jeu|vendre|same)di"
    r"|dimanche|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica"
)
_ABSENT = re.compile(  # such as "I can't play tomorrow", which is no word about the move
    rf"(?=[^.]{{0,80}}\b(?:{_DAYS})\b)(?=[^.]{{0,80}}\b(?:i can['’]?t|i cannot|i won['’]?t be able|(?:kann|können) (?:ich|wir)|(?:ich|wir) (?:kann|können)"
    r"|je ne (?:peux|pourrai) pas|non (?:posso|potrò)) (?:\S+ ){0,4}?(?:play|spielen|ziehen|jouer|giocare)\b)(?![^.]{0,80}\b(?:this|that|diesen?|das|ce|questa)\b)",
    re.IGNORECASE,
)
_OF_LATER = re.compile(r"\b(?:next|nächster|prochain|prossima|siguiente)\b", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?:\W*)(?:(?:bien|très|trop) (?:cordialement|amicalement|à (?:toi|vous))|mit (?:den )?(?:besten|lieben|herzlichen|sonnigen|freundlichen)"
    r"|freundliche grüße|herzlichst?|all the best|sincerely|warmly|sincèrement|salutations|cordialmente|distinti saluti|con (?:i )?migliori|un abbraccio|un caro saluto|best(?: wishes| regards|(?=,|\W*$))|(?:kind |warm )?regards|cheers|laters?(?=[!,])|thanks?|thank you|thx|love|yours|bye|see (?:you|ya)|take care|hugs|greetings|xx+|xoxo"
    r"|good (?:luck|night)|have (?:fun|a (?:nice|good|great|lovely))|(?:viele|liebe|beste|schöne|herzliche) gr(?:ü|ue)(?:ß|ss)e"
    r"|gr(?:ü|ue)(?:ß|ss)e|gruß|[lvb]g|mfg|mit freundlichen|danke|vielen dank|tschü(?:ß|ss?)|bis (?:bald|dann|später|morgen|denn)"
    r"|viel (?:glück|spaß|erfolg)|schöne[ns]? (?:abend|tag|woche|wochenende|gruß)|gute nacht|deine?|eue?re?|merci|cordialement"
    r"|amicalement|amitiés|bises|bisous|bien à|à (?:bientôt|plus|demain|vous)|bon(?:ne)? (?:chance|jeu|soirée|journée|nuit|week-end)"
    r"|grazie|(?:cari |cordiali |tanti )?saluti|un saluto|a presto|ciao|buon(?:a|o)? (?:fortuna|gioco|serata|giornata|notte)|baci"
    r"|saludos|un saludo|gracias|un abrazo|atentamente|(?:muito )?obrigad[oa]|abraços?|cumprimentos|atenciosamente|(?:hartelijke |vriendelijke )?groet(?:en|jes)?|met vriendelijke|bedankt|dank(?: je| u)|mvg"
    r"|pozdrawiam|pozdrowienia|z poważaniem|dzięk(?:i|uję)|hälsningar|med (?:vänliga|vennlig|venlig)|mvh|tack|takk?|hilsen|s pozdravem|pozdravem|díky|děkuji|hezký|zdraví"
    r"|saygılar(?:ımla)?|selamlar|teşekkürler|iyi (?:günler|akşamlar|geceler)|sevgiler|с уважением|спасибо|всего (?:доброго|хорошего)|удачи|з повагою|дякую|гарного|kiitos|terveisin|üdvözlettel|köszönöm|cu stimă|mulțumesc)\b"
    r"(?:[^\w'’-]+[\w'’-]+){0,5}\W*",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"(?:good luck|have fun|viel (?:glück|spaß|erfolg)|bonne (?:chance|partie)|bon jeu|amusez-vous bien|buona (?:fortuna|partita)|buon (?:gioco|divertimento)"
    r"|divertitevi)(?:[ ,]+[\w'’-]+){0,5} ?[!.](?:\W*)"
    rf"|(?:good luck|have fun|viel (?:glück|spaß|erfolg)|bonne chance|bon jeu|buona fortuna|buon divertimento) {_HAILED}(?: {_HAILED}){{0,5}}",
    re.IGNORECASE,
)
_FOOTER = re.compile(
    r"(?:enviado (?:desde|do|a partir|por|com|con)|enviat des|verzonden (?:vanaf|met|via|vanuit)|verstuurd (?:vanaf|met)|skickat från|sendt fra|sendt med"
    r"|lähetetty|wysłane z|wysłano z|odesláno z|odoslané z|poslano (?:sa|z|iz)|elküldve|küldve|trimis (?:de|din)|gönderildi|iphone[’']umdan|στάλθηκε|отправлено|надіслано"
    r"|изпратено|saadetud|išsiųsta|nosūtīts|dikirim dari|đã gửi|sent vi[aà]|从我的|從我的|发自我的|傳送自|寄自我的|iphoneから送信|나의|내 iphone|נשלח|أرسلت|أُرسلت|ส่งจาก"
    r"|download outlook|hämta|hent outlook|lataa outlook|pobierz|descarga|obter|obtener|baixe|ottieni outlook|\[image:|\[cid:"
    r"|sent from|(?-i:Sent) (?:with|via|by|using)|von mein\w*|gesendet (?:von|mit|über|aus)|diese (?:nachricht|mail|e-mail) wurde|envoyée?|inviat\w"
    r"|mobil gesendet|(?:written|typed) (?:on|with)|get \w+ for|(?:outlook|yahoo|proton)\b|téléchargez|scarica|obtenez|ottieni)\b.*",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(rf"(?:[A-Z]\.){{2,4}}|\W{{0,3}}{NAMES}!?")
_DEVICE = re.compile(  # found in a line of a few words, in any language
    r"\b(?:iphone|ipad|ipod|galaxy|samsung|huawei|xiaomi|redmi|pixel|oneplus|blackberry|android|outlook|gmail|yahoo|proton ?mail|tuta|thunderbird|k-9|fairemail|bluemail|spark|airmail|mailspring"
    r"|superhuman|windows|boxer|smartphone|handy|telefono|móvil|celular|aka\.ms)",
    re.IGNORECASE,
)
_ASKS_POLITELY = re.compile(
    r"^\W*(?:and |but |also |und |aber |et |mais |e |ma )?(?:(?:could|can|would|will) you (?:please )?(?:also )?(?:tell|say|explain)(?: to)?(?: me| us)?"
    r"|(?:kannst|könntest|könnt|könntet) (?:du|ihr) (?:mir|uns) (?:bitte )?(?:auch )?(?:noch )?(?:sagen|erklären)"
    r"|(?:peux|pourrais)-tu (?:aussi )?me dire|(?:puoi|potresti) (?:anche )?dirmi),? ",
    re.IGNORECASE,
)
_PASSES_ON = re.compile(  # such as "Can you tell Freddy I said hello?"
    r"(?i:\W*(?:(?:could|can|would|will) you (?:please )?(?:also )?(?:tell|say|give|wish)|(?:kannst|könntest|könnt|könntet) (?:du|ihr) (?:bitte )?(?:auch )?"
    r"|(?:peux|pourrais)-tu (?:aussi )?(?:dire|souhaiter)|tu peux (?:dire|souhaiter)|(?:puoi|potresti) (?:anche )?(?:dire|salutare|augurare)) )(?!(?i:me)\b|us\b|mir\b|uns\b|das\b|es\b)[A-ZÄÖÜ]\w+ \S"
)
_VERB_FIRST = re.compile(
    r"(?:is|was|were|has|had|ist|war|wäre|hat|hatte|hätte|est|était|è|era|sarebbe|and|und|et|ed?)\b", re.IGNORECASE
)
_CONTINUES = re.compile(
    r"(?:and|but|or|that|which|if|und|aber|oder|dass|wenn|et|mais|ou|que|si|e|ma|o|che|se"
    r"|(?:is|was|would be|ist|war|wäre|est|était|serait|è|era|sarebbe) (?:what|how|the|my|not|that|was|wie|das|der|mein|nicht|dass|ce|le|mon|pas|que|ciò|quell[oa]|la|il|mi[oa]|non|che))\b",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"[^\W\d_]{1,5}\. ?[^\W\d_a-zß-öø-ÿ]")  # before a name, as in streets or "on behalf of"
_MOST_OF_DEVICE = 12  # words
_MARKS_AROUND = " -–—/~*_.!()[]|:;,<>•·'\""
_LONG = 60  # characters of a full line
_OF_PLAY = re.compile(  # words about the game, and the first person
    r"\b(?:(?-i:I)|i[’'](?:d|ll|m|ve)|my|mine|me|move|moves|play(?:s|ed|ing)?|turn|ich|mein\w{0,2}|mir|mich|zug|züge|zieh\w{0,3}|spiel(?:e|st|t|en|te|ten)?|je|j[’']\w{1,12}|mon|ma|coups?"
    r"|jou(?:e|ez|er|ons|ais|ait)|mi[oae]|mosse?|gioc\w{1,5})\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"(?:https?://|www\.)[^\s|]{1,200}|[^\s@|<>]{1,80}@[^\s@|<>]{1,200}"  # addresses
    r"|(?<!\S)@\w{1,40}"
    r"|(?:\+|\(|\b)[0-9][0-9 ()./–-]{5,30}[0-9]\b"  # phone numbers
    r"|\b(?:[a-z0-9-]{1,40}\.){1,3}(?:com|org|net|de|at|ch|fr|it|eu|uk|us|io|info|example)\b",
    re.IGNORECASE,
)
_CONTACT_LABEL = re.compile(
    r"(?:t(?:el(?:[eé]fono?|ephone|efon)?)?|m(?:ob(?:ile?|il|iltelefon)?)?|handy|phone|cell(?:ulare)?|portable|fon|fax|f|p|o|e-?mail"
    r"|mail|web|office|direct|durchwahl|skype|whatsapp|signal|at)[.:]{0,2}",
    re.IGNORECASE,
)
_NAMING = re.compile(
    rf"{_NAME}\.?|[a-z]{{1,3}}\.|von|van|de|da|di|del|der|zu|und|and|et|e|of|für|&|(?:she|he|they|her|him|them|sie|er|ihr|elle|lui|lei)(?:/(?:her|him|them|ihr|ihm|elle|il|lei|lui|hers|his|theirs))*"
)
_FEW_WORDS = 3  # of a line that can be a whole sentence
_MOST_HAILED = 4  # words
_INITIALS = 2  # letters
_MOST_NAMING = 10  # words in one line of a signature
_TURN_OF_THOUGHT = re.compile(
    r"\b(?:not|no|never|but|if|or|would|could|should|might|unless|until|because|nicht|hätte|könnte|sollte|weil|kein\w*|nie|aber|wenn|oder|wäre|würde|pas|jamais|mais|si|ou|serait|non|mai"
    r"|ma|se|oppure|sarebbe"
    r"|niet|geen|nie|nej|inte|ikke|ikkje|não|nao|nunca|nem|ei|hayır|değil|yok|не|ні|нет|немає|δεν|όχι|لا|לא|pero|porém|maar|men|или|але)\b"
    r"|不|别|別|ない|等一下|待って|아니|않",
    re.IGNORECASE,
)

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S{1,80}@\S+", re.IGNORECASE)
SENTENCE = re.compile(r"[^.!?]+[.!?]*")  # in a line, with its end
_SENTENCE_END = re.compile(r"(?<=[.!?？؟…])\s+")
_SMALL_TALK = re.compile(
    r"\b(?:how (?:are|were|do|did|have|goes|is (?!it\b|that|this)|was (?!it\b|that|this))|how's (?:everybody|everyone|life|your)"
    r"|what's (?:up|new)|wie (?:geht|gehts|läuft|war|waren)|was gibt'?s neues|alles (?:gut|klar|okay)|comment (?:vas|allez|va|ça va)"
    r"|ça va(?! comme)|tu vas bien|vous allez bien|quoi de neuf|come (?:va|stai|state|sta|andiamo)|tutto (?:bene|ok))\b",
    re.IGNORECASE,
)
_THAT = (  # what refers to the line beside it, without a noun behind it
    r"(?:(?:that|this)(?! one)(?!['’\s](?:e?-?mails?|games?|letters?|servers?|sites?|tables?|week\w*|year|address|account|player)\b)|it(?! (?:possible|ok(?:ay)?|fine|right|good|better) (?:to|for|if|that|when)\b)|these|those|dat|so|the other one|(?:this|that) one(?! \w)|(?:my|the) (?:move|turn|choice)"
    r"|(?:das|dies\w{0,2})(?!\s(?-i:[A-ZÄÖÜ]))|(?<!gibt )es(?= |\W*$)|(?:mein|der|den|dieser?) zug"
    r"|ça|cela|ceci|c[’']est|est-ce(?![ -]qu)|ainsi|(?:le|mon|ce) coup"
    r"|quest[oa](?! partita)|quell[oa]|così|ciò|(?:la|mia) mossa)"
)
_JUDGES = (
    r"(?:ok(?:ay)?|fine|allowed|legal|valid|permitted|possible|right|wrong|correct|good|bad|better|best|wise|smart|clever|stupid|silly|mistake|works?|counts?|fits?|clear|sense|really|sure|goed|toegestaan"
    r"|erlaubt|gültig|richtig|falsch|gut\w{0,2}|schlecht\w{0,2}|besser|beste\w*|klug|schlau|dumm|sinnvoll|möglich|geht(?! (?:das|es) auch)|passt|fehler|in ordnung|sicher|wirklich"
    r"|permis|autorisée?|légale?|valide|valable|correcte?|juste|bon(?:ne)?|bien|mal|mieux|meilleure?|malin|erreur|convient|vraiment|sûre?"
    r"|permess[oa]|consentit[oa]|legale|valid[oa]|corrett[oa]|giust[oa]|sbagliat[oa]|bene|male|meglio|migliore|possibile|errore|funziona|davvero|sicur[oa])"
)
_DOES = (
    r"(?:play|do|make|take|put|choose|move|wait|pass|go|keep|use|try|risk|lay|place|hold|spielen|machen|tun|nehmen|legen|setzen|ziehen|warten|passen|wählen|lassen"
    r"|jouer|faire|prendre|poser|mettre|attendre|passer|choisir|placer|giocare|fare|prendere|mettere|posare|aspettare|passare|scegliere)"
)
_ABOUT_MOVE = re.compile(  # questions that ask whether the line beside them is right
    rf"\b(?:{_THAT}\b.{{0,60}}?\b{_JUDGES}|{_JUDGES}\b.{{0,30}}?\b{_THAT})(?!\w)"
    rf"|\b(?:should|shall|ought|soll(?:te)?n?|devrais|dois|devo|dovrei|potrei)(?: |-)(?:i|we|ich|wir|man|je)?\b(?:.{{0,60}}?\b{_DOES}\b|\W*$)"
    rf"|\b(?:(?:is it )?better to|dois-je|devrais-je|faut-il|devo|dovrei|je (?:dois|devrais)|would it be \w{{1,20}} to) {_DOES}\b"
    rf"|\b(?:can|could|may|might|must) (?:i|we) (?:really )?{_DOES} (?:that|this|it|so|these|those)\b(?: \w+){{0,2}}\W*$"
    r"|\b(?:kann|könnte|darf|dürfte|muss) (?:ich|man|wir) (?:wirklich )?(?:das|dies\w{0,2}|es|so)\b(?!\s(?-i:[A-ZÄÖÜ]))(?: \w+){0,2}\W*$"
    r"|\b(?:(?:je (?:peux|pourrais)|puis-je|on peut|peut-on) (?:vraiment )?(?:faire|jouer) (?:ça|cela|ainsi|ce coup)|(?:posso|potrei|si può) (?:far(?:lo|la)|giocar(?:lo|la)|fare (?:così|questo)))\b"
    r"|\b(?:do you (?:think|agree|mind|all agree)|what (?:do|would|does) \S{1,20} (?:think|say|suggest)|(?:would|could) you (?:play|do|rather|recommend|advise|choose)|(?:are you|am i) (?:sure|right|allowed)|any objections?|what about|how about|you (?:sure|agree)"
    r"|(?:meinst|findest|denkst|glaubst) du|(?:meint|findet|denkt) ihr|was (?:meinst|sagst|hältst|denkst|meint|sagt|haltet|denkt)|einverstanden|bist du sicher|würdest du"
    r"|(?:tu|vous|tu en|vous en) (?:pense[sz]|crois|trouve[sz])|(?:pense[sz]|crois|trouve[sz])-(?:tu|vous)|qu[’']en (?:pense|dit|dis)\w{0,2}|(?:es-tu|tu es) sûre?|ferais-tu"
    r"|(?:che|cosa) ne (?:pensi|dici|pensate|dite)|(?:pensi|credi|pensate) (?:che|di)|sei sicur[oa]|faresti|giocheresti)\b"
    r"|d[’']accord|d[’']accordo"
    r"|^\W*(?:or|oder|ou|oppure|o)\b|\bor (?:not|rather|better|else|maybe|perhaps|should|shall)\b|\b(?:oder|ou) (?:nicht|doch|besser|lieber|pas|mieux)\b"
    r"|\b(?:why not|warum nicht|wieso nicht|pourquoi pas|perché no|instead|rather|what you meant|what if (?:i|we)|stattdessen|lieber|plutôt|piuttosto|(?:best|good|bad|legal|right|wrong) move|(?:beste[nr]?|gute[nr]?|gültige[nr]?|richtige[nr]?) zug|(?:meilleurs?|bons?) coups?|coup (?:légal|permis)|(?:miglior|migliore|buona) mossa|mossa (?:legale|valida|giusta))\b",
    re.IGNORECASE,
)
_FEWEST_ASKING = 4  # words of a question that begins with none of these words
_COMMON = re.compile(  # by which a question in one of our languages is recognized
    r"\b(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|there|the|an?|you|your|i|my|we|any|other|of|to|in|on"
    r"|be|been|it|this|for|with|from|they|it['’]s|i['’]m|bin|ist|sind|war|hast|habt|hat|kann|kannst|könnt|wird|wirst|gibt|der|die|das|den|dem|ein\w{0,2}|ich|du|ihr|wir|mir|mich|mein\w{0,2}|dein\w{0,2}|auch|noch|schon|zu|auf|mit|man|sich|es|wie|habe|haben|sie|lässt|geht|muss|darf|hier|von|im|was|jetzt|eure?|bei|wir"
    r"|est|sont|es|as|ai|avez|peut|peux|puis|les?|la|l[’']|une?|des|du|je|j[’']|tu|vous|on|mon|ma|mes|ton|ta|y|il|elle|ils|ce|est-ce|que|qu[’']|aussi|déjà|encore|avec|dans|c[’']est|et|de|pas|se|en|pour|au|votre|vos|notre"
    r"|è|sono|sei|ho|hai|ha|può|puoi|posso|c[’']è|ci|gli|lo|uno?|una|del\w{0,3}|al\w{0,3}|nel\w{0,3}|il|i|mi[oae]|tu[oa]|anche|già|ancora|con|per|che|si|mi|se|non|di|da|cosa|più|qualcosa|qualcuno|devo|sto|in)\b",
    re.IGNORECASE,
)
_FEWEST_COMMON = 2
_ASKS_FOR_FACTS = re.compile(  # a question word, or a question about the past
    r"(?:\W{0,3}(?:and|und|et|e|so|oh|by the way|btw|übrigens|au fait|a proposito|thanks|thank you|danke|merci|grazie|hi|hello|hallo|bonjour|ciao)\b[ ,.!:–-]{0,3}){0,3}"
    r"(?:who|whose|what|when|where|which|why|how|(?:did|were|was|have|has|had) |wer|wen|wem|wessen|was|wann|wo|woher|wohin|welche[mnrs]?|warum|wieso"
    r"|weshalb|wie|wieviele?|hast du|habt ihr|qui|que|quoi|quand|où|quel(?:le)?s?|pourquoi|comment|combien|qu[’']est|as-tu|avez-vous|chi|che|cosa"
    r"|quando|dove|quale|quali|perch[ée]|come|quant[aeio]|hai|avete)\b",
    re.IGNORECASE,
)
_BANNER = re.compile(  # warnings that companies add above external emails
    r"\b(?:(?:click|open)\b.{0,200} (?:links?|attachments?)|(?:klick|öffne)\w{0,9}\b.{0,200} (?:links?|anh[aä]ng\w{0,3})"
    r"|(?:cliqu|ouvr)\w{1,9}\b.{0,200} (?:liens?|pièces? jointes?)|(?:clicc|apri)\w{0,9}\b.{0,200} (?:link|allegat\w))\b",
    re.IGNORECASE,
)
_BEGINS = r"(?:^|[,;:–—-] ?)(?:(?:oh|ah|hm+|sorry|actually|please|no|but|and|bitte|nein|ach|aber|und|non|mais|et|s'il vous plaît|ma|no|per favore|e)[ ,]+)*"
PASS = (  # a whole line
    r"(?:(?:i(?:[’']ll| will)? )?pass(?: (?:this|my) turn)?|(?:ich |je )?passen?(?: mon tour)?|(?:io )?passo(?: il turno)?)"
)
_IF = r"\b(?:if|provided|providing|(?:as|so) long as)"
_FINE = r"(?:ok|okay|fine|happy)"
_AGAINST = re.compile(
    # en
    r"\b(?:do not|don[’']?t|never|not to|rather not|better not|wo(?:n[’']?t|uld not)|wouldn[’']?t|will not|must not|mustn[’']?t"
    r"|shouldn[’']?t|should not) (?:\w+ ){0,2}(?:play|move|do|count|take|use|accept|carry|execute|make|process|submit|put|want|mean|go)"
    r"\b|\bnot (?:yet|now|sure|certain|this one|that one|allowed|valid|meant|final|decided)\b|\bunsure\b|\bhold (?:on|off|it)\b"
    r"|\b(?:ignore|disregard|cancel|undo|withdraw|scratch|(?<!n't )(?<!not )forget) (?:it|this|that|my|the)\b"
    r"|\bplease (?:ignore|disregard|cancel)\b|\btake (?:it |that |this |my move )?back\b|\bchanged? my mind\b|\bsecond thoughts?\b|\bby mistake\b|\bmistaken\b"
    r"|\b(?:only|just) (?:a test|testing|a joke|joking|kidding|an? (?:idea|example))\b|\binstead\b|\bi(?: would|[’']d) (?:rather|prefer)\b"
    r"|\b(?:only|but not|not) (?:if|when|once|after|until|before|unless)\b|\b(?:unless|provided that|as soon as|until then)\b"
    r"|\b(?:or|but) (?:rather|better|maybe|perhaps)\b"
    rf"|{_IF} (?:\S+ ){{1,4}}?(?:agrees?|allows?|(?:doesn[’']?t|don[’']?t|does not|do not) (?:mind|object)|(?:is|are) (?:all )?{_FINE})\b"
    rf"|{_IF} (?:\S+ ){{0,3}}?[\w-]+[’'](?:s|re) (?:all )?{_FINE}\b|\bon (?:the )?condition (?:that|of)\b"
    r"|(?:^|[,;])\W{0,3}(?:provided|providing|assuming|(?:as|so) long as)\b"
    r"|\bif (?:that|this|it|i|allowed|legal|possible|so)\b|\b(?:maybe|perhaps)(?: not)?\W*$|\btomorrow only\b|\bwait (?:until|till)\b"
    r"|\bwrong (?:game|table|mail|thread)\b|\b(?:meant|intended) for\b|\bfor (?:an|the) ?other (?:game|table)\b"
    # de
    r"|\b(?:spiel|zieh|setz|leg|mach|nimm|nehm|führ|zähl|wert|tu)\w*\b(?: \S+){0,5}? (?:nicht|nie|niemals)\b(?! schlecht| so| übel)"
    r"|\b(?:nicht|nie|niemals) (?:\w+ ){0,2}(?:spiel|zieh|setz|leg|ausführ|auszuführ|wert|zähl|mach|nehm|tun|gelten|gemeint|sicher|erlaubt"
    r"|gültig|entschieden)\w*|\b(?:noch|doch|lieber|besser|bitte|aber|das|dies|diesen|jetzt) nicht\b(?! (?:zu|so|ganz|allzu) )|\bauf keinen fall\b|\bkeinesfalls\b"
    r"|\bwei(?:ß|ss) nicht,? ob\b|\bunsicher\b|\bzurück(?:nehm|zieh)\w*|\b(?:nehme|ziehe|nimm|nehmt)\b.{0,60} zurück\b|\bstattdessen\b"
    r"|\b(?:vergiss|vergesst|vergessen sie|ignorier\w*|stornier\w*|streich\w*) (?:das|den|die|es|meine\w*|bitte)\b"
    r"|\b(?:aus versehen|versehentlich|irrtümlich|vertan|ungültig|anders überlegt|umentschieden)\b"
    r"|\bnur (?:ein (?:test|scherz|spaß|beispiel)|zum (?:test|spaß)|falls|wenn)\b|\berst (?:wenn|nach|morgen|später|mal|dann)\b"
    r"|\b(?:oder|aber) (?:lieber|besser|doch|vielleicht|eher|auch nicht)\b"
    r"|\bwenn (?:\S+ ){1,4}?(?:zustimm|einverstanden|erlaub|nichts dagegen|mitmach|okay|ok\b|recht ist)\w*"
    r"|\baußer (?:wenn|falls|\S+ (?:ist|hat|will)\b)|\bes sei denn\b|\bvorausgesetzt\b|\bunter der (?:bedingung|voraussetzung)\b|\b(?:falls|sofern|solange)\b|\b(?:doch|dann|eher|wohl) lieber\b|\blieber (?:doch|was|etwas|anders|den|die|das|auf)\b"
    r"|\b(?:würde|wäre|möchte)\b.{0,60}\b(?:lieber|besser)\b|\bvielleicht(?: nicht)?\W*$"
    r"|\bfalsche[nrs]? (?:spiel|partie|tisch|mail)\b|\bfür (?:ein|das|die|den)e?n? andere[ns]? (?:spiel|partie|tisch)\b"
    # fr
    r"|\b(?:ne |n[’'])(?:(?:pas|plus|jamais|surtout|rien) ){1,2}(?:l[ea]s? |l[’']|y )?(?:jou|fai|compt|pren|exécut|appliqu|valid|boug|pos|mett)\w*"
    r"|\b(?:ne |n[’'])?(?:l[ea]s? |l[’'])?(?:jou|fai|compt|pren|exécut|appliqu|valid|boug|pos|mett)\w*(?:[ -](?:l[ea]s?|ça|cela|ceci|encore|surtout))* "
    r"(?:pas|plus|jamais)\b(?! (?:si |trop )?mal\b)|\bpas (?:encore|ça|cela|ceci|ce coup|celui|celle|maintenant|tout de suite|sûre?|certaine?|permis|valable)\b"
    r"|\bsurtout pas\b|\b(?:oubli|ignor|annul)(?:e|ez|er|ons|ons-l[ea])\b|\bfinalement (?:non|pas)\b|\bchangé d[’']avis\b|\bpar erreur\b"
    r"|\b(?:juste|seulement|que) (?:un test|un essai|une blague|pour rire|un exemple)\b|\b(?:seulement|que) (?:si|quand|après|lorsque)\b"
    r"|\bou (?:mieux|peut-être|alors|bien)\b|\bsi (?:tout le monde|tous)\b"
    r"|\bsi (?:\S+ ){1,4}?(?:d[’']accord|accepte|permet|n[’']a rien contre|veut bien|est ok)\b"
    r"|\bà (?:la )?condition (?:qu|de\b|d[’'])|\bpourvu qu(?!e ça dure\b)|\bà moins qu|\bsauf s|\bau lieu\b|\b(?:mais|ou|non,?|je \w+) plutôt\b|\bplutôt (?:pas|un|le|la|autre)\b|\bpeut-être(?: pas)?\W*$"
    r"|\bsi (?:c[’']est|ça|cela|je|possible|permis)\b|\bje ne sais pas si\b|\bje préf[éè]r"
    r"|\bmauvaise? (?:partie|jeu|table|mail)\b|\bpour (?:une |l[’'])autre (?:partie|table)\b"
    # it
    r"|\bnon (?:l[aoe’'] ?|\w+ ){0,2}(?:gioca|giochi|fa(?:te|re|i|cci)|muov|conta|esegu|prend|mett|valida|consider|applic|intend|vogli)\w*"
    r"|\bnon (?:ancora|questo|questa|quello|quella|così|adesso|ora|subito|sono sicur\w+|so se|è permess\w+|valid\w+)\b|\bmeglio (?:di )?no"
    r"|\b(?:annull|ignor|dimentic)(?:a|ate|i|o|are|atela|ala) (?:questo|questa|la|il|tutto|mossa)\b|\bper (?:errore|sbaglio|scherzo)\b"
    r"|\bcambiato idea\b|\bripensat\w+\b|\b(?:solo|soltanto) (?:se|quando|dopo|un test|una prova|uno scherzo|un esempio)\b|\ba meno che\b"
    r"|\boppure\b|\b(?:o|ma) (?:forse|magari)\b|\ba meno di\b|\bpurch[éeè]\b|\ba (?:patto|condizione) (?:che|di)\b|\bsempre che\b"
    r"|\bse (?:\S+ ){1,4}?(?:d[’']accordo?|accett\w+|acconsent\w+|permett\w+|va bene|ok)\b"
    r"|\binvece\b|\b(?:anzi|ma|o|no,?) (?:no|meglio|piuttosto)\b|\bpiuttosto (?:non|un|il|la)\b|\bse (?:è|si può|posso|permesso|possibile)\b"
    r"|\bforse(?: no)?\W*$|\bpreferi(?:rei|sco)\b"
    r"|\b(?:partita|gioco|tavolo|mail) sbagliat[ao]\b|\bper (?:un ?[’']?|l[’'])altr[ao] (?:partita|gioco|tavolo)\b"
    # all, at the start of a sentence
    rf"|^\W*(?:(?-i:or|oder|ou|oppure) |{PASS}\W*$)"
    rf"|{_BEGINS}(?:wait|stop|hold|halt|warte|wartet|warten sie|moment|stopp|attends|attendez|arrête[zs]?|aspetta|aspettate|aspetti|ferm[aoi]"
    r"|un momento|un attimo|einen moment|eine sekunde|nope|nah|naw|nein|nö|nee|non(?=\W*$|[,;!])|no(?=\W*$|[,;!]))\b",
    re.IGNORECASE,
)
_LATER = (
    r"(?:later(?: on)?|tomorrow(?: (?:morning|afternoon|evening|night))?|tonight|next week|(?:another|some other) (?:day|time)"
    r"|später|spaeter|nachher|heute abend|ein andermal|nächste woche"
    r"|plus tard|demain(?: matin| soir)?|ce soir|tout à l[’']heure|une autre fois|la semaine prochaine"
    r"|più tardi|piu tardi|domani(?: mattina| sera)?|stasera|un[’']altra volta|la settimana prossima)"
)
_IS_LATER = rf"(?:{_LATER}|morgen(?: (?:früh|vormittag|mittag|nachmittag|abend))?|dopo)(?=\W*$|[,;])"
_I_WILL = r"(?:\b(?:i|we)(?:[’'](?:ll|d|m|re))?(?: (?!you\b)\w+){0,3}|\blet me|\blet[’']s|(?:^|[,;])\W{0,3}(?:please|better|rather|will))"
_ICH_WILL = (
    r"(?:\b(?:ich|wir) (?:muss|müssen|will|wollen|möchte|möchten|werde|werden|sollte)|\b(?:muss|müssen|will|möchte|werde|sollte) (?:ich|wir)"
    r"|^\W*(?:muss|will|möchte)|\blass(?:t|en sie)? mich)"
)
_JE_VEUX = r"\b(?:je (?:dois|vais|veux|voudrais|préfère)|il me faut|(?:besoin|en train) d[e’']|laisse[zr]?[ -]moi)(?: \S+){0,3}?"
_PUT_OFF = re.compile(  # only what clearly is about this move, since a move that is held back may come too late
    # en
    r"\bstill (?:\w+ )?(?:thinking|considering|deciding|pondering|hesitating|wondering|weighing|undecided|unsure|making up)\b"
    r"(?! (?:of|how|why) )(?! about (?!it\b|this|that|my|what|which|whether|the move))"
    r"|\b(?:let me|(?:i|we)(?:[’']ll| will| must| shall| gotta| (?:need|have|want) to|(?: am|[’']m| are|[’']re) going to)) (?:\w+ )?"
    r"(?:think|ponder|decide|reconsider|sleep on)\b(?! of\b| about (?:you|him|her|them)\b)"
    r"|(?:\b(?:i|we)(?:[’'](?:d|ll))? (?:\w+ )?(?:need|want|like)|\bgive me) (?:\w+ ){0,4}think (?:it over|again|some more|a bit more|a little more|twice)\b"
    r"|\bsleep on (?:it|this|that)\b|\b(?:can[’']?t|cannot|haven[’']?t|have not|have to|need to|must) (?:\w+ )?ma(?:ke|de) up my mind\b"
    r"|\b(?:i|we)(?:[’']ll| will|[’']d| would| must| shall| should| (?:need|have|want) to) (?:rather |better |just |still )?wait\b"
    r"(?=\W*$| (?:an?|another|one|some|until|till|with (?:it|this|that|my)|before|first)\b)"
    r"|\b(?:please|let[’']s|(?<!t )(?<!not )let me|better|rather) wait\b"
    r"|\bgive me (?:a (?:moment|minute|second|while|day|bit)|(?:some|more|a little) time|until|till)\b|\bundecided\b|\bnot so fast\b"
    rf"|{_I_WILL} (?:play|mov|do|decid|confirm|choos|pick|finish|mak|tak)(?:e|ing)? (?:it|this|that|this one|(?:my|the|this) (?:move|turn)) {_IS_LATER}"
    rf"|(?:\bi(?:[’']ll| will|[’']d rather|[’']d better| must)|^\W*will) (?:\w+ )?(?:play|move|decide|confirm|choose) {_IS_LATER}"
    # de
    r"|\b(?:überleg|ueberleg|grübe?l|schwank|zöger|zweife?l|rätse?l)(?:e?n|e)?(?: \S+){0,3}? noch\b"
    r"|\bnoch\b(?: \S+){0,3}? (?:überlegen?|ueberlegen?|nachdenken|nachzudenken|grübeln|(?:drüber|darüber) schlafen)\b"
    r"|\b(?:schlaf|denk)e?n?(?: \S+){0,2}? noch\b(?: \S+){0,3}? (?:drüber|darüber|nach)(?: nach)?(?=\W*$|[,;])|\bam (?:überlegen|nachdenken|grübeln)\b"
    rf"|{_ICH_WILL}(?: \S+){{0,4}}? (?:überlegen|ueberlegen|nachdenken|grübeln|(?:drüber|darüber) schlafen|entscheiden)\b"
    rf"|{_ICH_WILL}(?: (?:noch|lieber|erst|mal|kurz|damit|etwas|besser|einen?|bisschen|wenig|tag|moment|doch))* (?:ab)?warten(?=\W*$|[,;])"
    r"|\bich warte (?:damit\b|(?:noch|lieber|erst|mal|kurz|ab|etwas|ein bisschen)(?: (?:mal|kurz|etwas|ab|ein bisschen))*(?=\W*$|[,;]))"
    r"|\bunentschlossen\b|\bunschlüssig\b"
    r"|\b(?:ich|wir) (?:spiel|zieh|setz|mach|entscheid|überleg|tu)(?:en?)?(?: (?:das|es|den|meinen|diesen|zug|mir|mich|lieber|erst|dann|wohl|eher|vielleicht))*"
    rf" {_IS_LATER}"
    r"|\bdas (?:spiel|mach|entscheid|überleg)(?:en?)? (?:ich|wir)(?: (?:mir|lieber|erst|dann|wohl|eher|vielleicht))*"
    rf" {_IS_LATER}"
    r"|(?:^|[,;:–—-] ?)(?:(?:vielleicht|lieber|eher|erst|dann|doch|aber) )*(?:morgen(?! mehr\b)|vielleicht morgen)(?: (?:früh|abend|vielleicht|lieber|dann|erst))*(?=[.…]*$|;)"
    # fr
    r"|\b(?:je |j[’']y )(?:réfléchis|reflechis)(?= encore\b|\W*$|[,;])|\bj[’'](?:hésite|hesite)(?= encore\b| entre\b|\W*$|[,;])"
    r"|\b(?:je verrai|on verra) (?:ça |cela )?(?:plus tard|demain|ce soir)\b|\bj[’']attends (?:encore|un peu|demain)(?=\W*$|[,;])"
    rf"|{_JE_VEUX} ?(?:réfléchir|reflechir|y penser|hésiter|décider)\b"
    r"|\bje (?:dois|vais|veux|voudrais|préfère)(?: (?:encore|plutôt|un peu|d[’']abord))* attendre(?=\W*$|[,;]| (?:un peu|encore|demain|avant)\b)"
    r"|\bindécise?s?\b|\bpas si vite\b"
    r"|\bje (?:vais )?(?:l[ea] |l[’'])?(?:jou|fer|fai|décid|confirm|choisi)\w*(?: (?:ça|cela|(?:ce|le|mon) coup|plutôt|peut-être|seulement))*"
    rf" {_IS_LATER}"
    # it
    r"|\bci (?:sto )?(?:ancora )?(?:penso|pensando|penserò|rifletto|ripenso)\b(?! io\b)"
    r"|\b(?:sto|devo|vorrei|voglio|fammi|fatemi|lasciami|lasciatemi)(?: \S+){0,3}? "
    r"(?:pensarci|pensa(?:re|ndo)(?! (?:a|al|alla|alle|ai|agli|di)\b| all[’'])|riflett\w+|ripens\w+|decider\w*|decidendo|valutar\w*|valutando)\b(?! io\b)"
    r"|\b(?:devo|vorrei|voglio|preferisco) (?:ancora )?aspettare(?=\W*$|[,;]| (?:un po|ancora|domani|prima)\b)|\bindecis[oa]\b"
    r"|\b(?:(?:l[oa] |l[’'])(?:facci|far)|facci(?=o (?:la mia |la |questa )mossa)|far(?=ò (?:la mia |la |questa )mossa)|gioc|giocher|decid|decider|conferm|confermer|muov|muover|scelg|sceglier)"
    rf"(?:o|ò)(?: (?:(?:la mia |la |questa )mossa|forse|solo|poi))* {_IS_LATER}|\b(?:far|giocar|decider)l[oa] {_IS_LATER}"
    # all
    rf"|^\W*{PASS}\W*$|{_BEGINS}(?:bof|boh|mah|macché)(?=\W*$)"
    rf"|{_BEGINS}(?:(?:gar|überhaupt) nichts?|pas du tout|rien du tout|per niente|niente affatto)(?=\W*$|[,;!])"
    r"|^\W*(?!later[!,]\W*$)(?:(?:maybe|perhaps|probably|rather|better|only|just|then|well|ok|okay|please|sorry|but|or|no|not before|i|i[’']ll|i will|do|it|this|that"
    r"|vielleicht|lieber|eher|erst|dann|doch|aber|also|gut|na|ich|es|das|peut-être|plutôt|alors|bon|mais|seulement|pas avant|forse|magari|meglio|allora|solo|ma|lo),? ){0,5}"
    rf"(?:{_LATER}|dopo)(?:,? (?:maybe|perhaps|please|then|i think|i guess|vielleicht|bitte|dann|denke ich|peut-être|alors|forse|magari|allora))?\W*$",
    re.IGNORECASE,
)
_OF_BEFORE = re.compile(  # clauses about the past, or about another time
    r"\b(?:was|were|had|couldn[’']t|could not|musste[nt]?|wollte[nt]?|konnte[nt]?|war(?:en)?|hatte[nt]?|habe?|haben|étai(?:s|t|ent)|avai(?:s|t|ent)|devais|ero|era|eravamo|dovevo|avevo"
    r"|next time|nächste[ns]? mal|prochaine fois|prossima volta)\b",
    re.IGNORECASE,
)


class Manner(NamedTuple):
    """Facts about the words of a line, apart from what they say about the game."""

    is_courtesy: bool
    is_lead_in: bool
    is_harmless_above: bool  # whether a person has clearly written it
    is_harmless_question: bool
    begins: bool  # whether a line that takes effect may follow in the same paragraph
    is_whole: bool  # whether it is a sentence of its own above a line that takes effect
    ends: bool  # whether it belongs to no sentence that begins in the line above it
    is_drawn: bool
    may_begin_quote: bool


NO_WORDS = Manner(*(False,) * len(Manner._fields))


def manner_of(line: str, signed: Collection[str] = ()) -> Manner:
    """Return these facts. `signed` are the names with which the writer signs, in lower case."""
    leads_in, asks_for_fact = is_lead_in(line), is_harmless_question(line)
    is_apart = asks_for_fact or (is_about(line, MAILS, NIGHTS) and not is_question(line))
    return Manner(
        is_courtesy(line),
        leads_in,
        is_harmless_above(line),
        asks_for_fact,
        leads_in or _is_greeting(line),
        is_apart or _LEAD_IN.fullmatch(line) is not None or _ends(line),
        (is_apart and not _continues(line)) or is_ending(line, signed),
        is_drawn(line),
        may_begin_quote(line),
    )


def _continues(line: str) -> bool:
    """Return whether a question may continue the sentence of the line above it, such as "is what you mean?"."""
    return line[:1].islower() and not begins_as_question(line) and _CONTINUES.match(line) is not None


def begins_with_question(lines: Sequence[str]) -> bool:
    """Return whether these lines below a move begin with a whole question, perhaps a wrapped one, that casts no doubt."""
    first = next(sentences_in(lines), "")
    return is_harmless_question(first) and not _continues(first)


def ends_with_question(lines: Sequence[str]) -> bool:
    """Return whether these lines above a move end with a question, perhaps a wrapped one, that casts no doubt."""
    return is_harmless_question(next(iter([*sentences_in(lines)][-1:]), ""))


def is_harmless_above(line: str) -> bool:
    """Return whether a person has clearly written this line: a greeting, a lead-in to a move, or a complete sentence.

    A digit, an address or a colon makes this unclear, since programs write them above a quote in any language.
    """
    text = re.sub(r"(?:\s{0,3}[:;]-?[)(DP]){1,9}$", "!", line)
    is_sentence = re.search(r"[.!?？؟…。！]\W{0,3}$", text) and not re.search(r"[\d@:：<>|_=*]", text)
    return bool(is_sentence or is_courtesy(line) or is_lead_in(line))


def is_lead_in(line: str) -> bool:
    """Return whether this line, perhaps after a greeting, leads in to a move, such as "Hi, I'd play"."""
    before, _, rest = line.partition(",")
    words = rest.strip() if rest and _GREETING.fullmatch(before) else line
    if _OF_LATER.search(words) and not words.rstrip().endswith((":", "：")):
        return False
    return _LEAD_IN.fullmatch(f"{words.rstrip(' :：')}:") is not None


def is_courtesy(line: str) -> bool:
    """Return whether this line contains only a greeting, a wish or thanks."""
    return (_GREETING.fullmatch(line) or _CLOSING.fullmatch(line)) is not None and not _TURN_OF_THOUGHT.search(line)


def is_closing(line: str) -> bool:
    """Return whether this line only ends a letter, such as "Best wishes"."""
    return _CLOSING.fullmatch(line) is not None


def _ends(line: str) -> bool:
    """Return whether a sentence starts and ends on this line."""
    return _starts_sentence(line) and re.search(r"[.!…。！]\W{0,3}$", line) is not None


def _is_greeting(line: str) -> bool:
    """Return whether this first line is a greeting: one in a known language, a word before a comma, or a few words
    before `!`."""
    text = line.rstrip(" \u00a0")
    most = 1 if text.endswith((",", "，", "、", "。")) else _MOST_HAILED if text.endswith(("!", "！")) else 0
    is_short = len(line.split()) <= most
    return _GREETING.fullmatch(line) is not None or (
        is_short and not re.search(r"\d", line) and not _TURN_OF_THOUGHT.search(line) and not _OF_PLAY.search(line)
    )


def is_ending(line: str, signed: Collection[str]) -> bool:
    """Return whether this line can end an email: a wish, a name, the footer of a mail program, or a line without
    words."""
    bare = line.strip(_MARKS_AROUND)
    if is_drawn(line) or _FOOTER.match(bare) or bare.lower() in signed:
        return True
    if _TURN_OF_THOUGHT.search(line):
        return _starts_sentence(bare) and len(line) >= _LONG and not _OF_PLAY.search(line)
    words = bare.split()
    return (
        _starts_sentence(bare)
        or _ABBREVIATED.match(bare) is not None
        or _SIGNATURE.fullmatch(bare) is not None
        or _CLOSING.fullmatch(line) is not None
        or _is_contact(line)
        or (len(words) <= _MOST_HAILED and any(word.lower() in signed for word in words))
        or (len(bare) <= _INITIALS and bare.isalpha())
        or (len(words) <= _MOST_OF_DEVICE and _DEVICE.search(line) is not None)
    )


def without_footer(lines: Sequence[str]) -> list[str]:
    """Return lines without the footers of mail programs at their end, such as "Sent from my iPhone"."""
    kept = list(lines)
    while kept and (not kept[-1].strip() or _FOOTER.match(kept[-1].strip(_MARKS_AROUND))):
        kept.pop()
    return kept


def _starts_sentence(bare: str) -> bool:
    """Return whether this line starts like a sentence or a name: with a capital letter, or with a letter of a script
    that has no capitals."""
    first = next((char for char in bare if char.isalpha()), "")
    return first != "" and not first.islower() and not bare[0].islower() and not _VERB_FIRST.match(bare)


def _is_contact(line: str) -> bool:
    """Return whether this line of a signature contains an address or phone number, and otherwise only names."""
    without = _CONTACT.sub(" ", line)
    words = [word for raw in without.split() if (word := raw.strip("@|,;:•·–—-/()<>[]*_ "))]
    names = [word for word in words if not _CONTACT_LABEL.fullmatch(word)]
    return without != line and len(names) <= _MOST_NAMING and all(map(_NAMING.fullmatch, names))


def contradiction_in(lines: Sequence[str], is_light: bool = False) -> str:
    """Return the first sentence of this prose that contradicts, questions or puts off the effective lines beside it, or
    "".

    A blank line ends a sentence, and so does a name at the end of a paragraph. An overlong sentence counts as a
    contradiction. The following don't count: questions for a fact, quoted subjects, lines that begin with `|`, and
    warnings about links. `is_light`: the effective lines can be undone later, so only contradictions count.
    """
    for sentence in sentences_in(lines):
        if is_question(sentence) and is_about(sentence, LATE):  # "if I'm late" is no condition
            continue
        is_against = _AGAINST.search(sentence) or (not is_light and _puts_off(sentence))
        is_against = is_against and not _ABSENT.match(sentence)
        if (
            len(sentence) > LONGEST_SENTENCE
            or (is_question(sentence) and not is_light and not _asks_for_fact(sentence))
            or (is_against and not _GREETING.fullmatch(sentence) and not _BANNER.search(sentence))
        ):
            return sentence
    return "" if is_light else next(filter(_puts_off, _last_lines(_own(lines))), "")


def questions_in(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the questions in this prose."""
    return tuple(it for it in sentences_in(lines) if is_question(it))


def remarks_in(lines: Sequence[str], signed: Collection[str]) -> tuple[str, ...]:
    """Return the sentences in the prose below a line that takes effect, apart from questions, courtesy and names. `lines`
    are empty where a line takes effect. A name or the footer of a mail program ends the prose."""
    own = list[str]()
    for line in lines:
        bare = line.strip(_MARKS_AROUND)
        if bare and (_FOOTER.match(bare) or _is_contact(line) or _names(bare, signed)) and not is_wish_to_others(line):
            break
        own.append("" if is_courtesy(line) and not is_wish_to_others(line) else line)
    sentences = (it.strip() for text in _paragraphs(_own(own)) for it in _SENTENCE_END.split(text))
    return tuple(it for it in sentences if it and not is_question(it) and not is_lead_in(it))


def _names(bare: str, signed: Collection[str]) -> bool:
    """Return whether this line of a signature is a name."""
    words = bare.lower().split()
    return _SIGNATURE.fullmatch(bare) is not None or (len(words) <= _MOST_HAILED and any(it in signed for it in words))


def is_wish_to_others(line: str) -> bool:
    """Return whether this line wishes the other players something, and doesn't lead to a signature."""
    return _WISH.fullmatch(line.strip()) is not None


def is_told_to_others(sentence: str) -> bool:
    """Return whether a sentence seems to be meant for the other players."""
    is_whole = len(sentence.split()) >= _FEW_WORDS and re.search(r"[.!…]\W{0,3}$", sentence) is not None
    return is_whole or is_wish_to_others(sentence)


def is_question(line: str) -> bool:
    return line.rstrip().endswith(("?", "？", "؟"))


def begins_as_question(line: str) -> bool:
    """Return whether a line begins with a question word, since people leave out the question mark."""
    return _ASKS_FOR_FACTS.match(line) is not None


def is_harmless_question(line: str) -> bool:
    """Return whether a line is a whole question that casts no doubt on the lines beside it."""
    if not is_question(line):
        return False
    return is_about(line, LATE) or (_asks_for_fact(line) and not _AGAINST.search(line) and not _puts_off(line))


def _asks_for_fact(question: str) -> bool:
    """Return whether a question casts no doubt on a move beside it. A question such as "Is that allowed?" casts doubt, and
    so does one of a few words or in a language that we don't know."""
    whole, question = question, _ASKS_POLITELY.sub("", question)
    if _SMALL_TALK.search(question) or is_about(question, JOINING):
        return True
    if _ABOUT_MOVE.search(question):
        return False
    if is_about(question, *OF_FACTS) or _PASSES_ON.match(whole):
        return True
    words = question.split()
    if _ASKS_FOR_FACTS.match(question):
        return len(words) > 1
    common = len(_COMMON.findall(question)) + (_COMMON.match(question) is not None)  # a verb or pronoun says more
    return len(words) >= _FEWEST_ASKING and common >= _FEWEST_COMMON


def _own(lines: Iterable[str]) -> list[str]:
    """Return lines without quoted subjects and lines that begin with `|`."""
    return ["" if line.startswith("|") or is_subject(line) else line for line in lines]


def sentences_in(lines: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of this prose. A blank line ends a sentence."""
    for paragraph in _paragraphs(_own(lines)):
        yield from map(str.strip, _SENTENCE_END.split(_ADDRESS.sub(" ", paragraph)))


def _puts_off(sentence: str) -> bool:
    clauses = re.split("(?<=[,;])", sentence)
    now = "".join(it for it in clauses if not _OF_BEFORE.search(it))
    return _PUT_OFF.search(now.strip()) is not None and not _GREETING.fullmatch(sentence)


def _last_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the last line of each paragraph, and those above it if only names follow. Skip the end of a wrapped
    sentence: it starts in lower case, below a line of several words.

    Also yield a first line of few words, which can stand above a footer in any language.
    """
    for _, group in groupby(lines, key=lambda line: bool(line.strip())):
        paragraph = list(group)
        if len(paragraph[0].split()) <= _FEW_WORDS:
            yield paragraph[0]
        for above, line in reversed([*pairwise(("", *paragraph))]):
            bare = line.strip(_MARKS_AROUND)
            if len(above.split()) <= 1 or _starts_sentence(bare):
                yield line
            if not _SIGNATURE.fullmatch(bare):
                break


def _paragraphs(lines: Iterable[str]) -> list[str]:
    return [" ".join(text.split()) for text in re.split(r"\n{2,}", "\n".join(lines))]
