"""What a sentence may be about, by phrases in four languages.

Questions to a table and to the post desk, wishes for a game and replies to invitations all use this table.
"""

import re
from collections.abc import Mapping

from server.post.incoming.commands import PAUSE, PLAN, RESIGN, STAND_IN, UNDO, VACATION

MAILS, NIGHTS, LEAVING, COST, HOW_LONG = "mails", "nights", "leaving", "cost", "how-long"
THE_GAME, HOW_TO_PLAY, THE_RULES, SCORING, MEANING = "the-game", "how-to-play", "the-rules", "scoring", "meaning"
A_TERM, BOT_IN_SEAT, WHO_PLAYS = "a-term", "bot-in-seat", "who-plays"
SCORES, TURN, ADVICE, DUE, LAST_MOVE, REFUSED = "scores", "turn", "advice", "due", "last-move", "refused"
SECRETS, STOPPING, APP, STARTING = "secrets", "stopping", "app", "starting"
ENDING, JOINING, MY_GAMES, LATE, PICTURES = "ending", "joining", "my-games", "late", "pictures"
WRITING, MOVES, SEEING, HISTORY, TALKING, PASSING = "writing", "moves", "seeing", "history", "talking", "passing"
LEFT = "left"  # known by examples alone
PLAYING, WANTING, INVITING, BOTS, PEOPLE = "playing", "wanting", "inviting", "bots", "people"


def _phrases(en: str = "", de: str = "", fr: str = "", it: str = "") -> re.Pattern[str]:
    """Compile the phrases of four languages, which are whole words. IGNORECASE also applies to accented letters."""
    return re.compile(rf"\b(?:{'|'.join(filter(None, (en, de, fr, it)))})(?!\w)", re.IGNORECASE)


_MEANS = (
    r"(?:what['’]s|(?:what|which) (?:do|does|is|are|was|mean)|mean(?:s|ing)?|was (?:bedeute[nt]|heißt|heisst|ist|sind|soll|macht|machen|tut|bewirkt)"
    r"|bedeutet|wofür steht|signifien?t?|que fait|que font|(?:che )?cosa fa(?:nno)?|veu(?:t|lent) dire|qu['’]est-ce|c['’]est quoi"
    r"|significa(?:no)?|vuol dire|(?:che )?cos['’]?[èe])(?!\w)"
)
_SIGN = (
    r"(?:\b[BD]|#\w*|\b(?:stars?|holes?|cards?|numbers?|letters?|\w{0,20}sterne?|\w{0,20}loch|\w{0,20}karten?|zahl(?:en)?|buchstaben?|étoiles?"
    r"|trous?|cartes?|lettres?|stell[ae]|buc[oh]\w?|cart[ae]|letter[ae]))"
)
_TOPICS: Mapping[str, re.Pattern[str]] = {
    MAILS: _phrases(
        r"(?:fewer|less|too many|so many|stop|no more|how (?:many|often)) (?:\w+ ){0,4}e?-?mails?|(?:don['’]?t|do not) (?:want|need|send me) (?:any )?(?:more )?e?-?mails?|e?-?mails? (?:a|per|each|every) (?:week|month)|weekly e?-?mails?",
        r"(?:weniger|zu viele|so viele|keine|wie (?:viele|oft)) (?:\w+ ){0,2}e?-?mails?|e?-?mails? (?:pro|in der|je) woche|wöchentliche e?-?mails?",
        r"(?:moins|trop|plus) de (?:e-?)?(?:mails|courriels)|(?:mails?|courriels?) (?:par|chaque) semaine",
        r"(?:meno|troppe|tante|non (?:voglio|mandarmi)(?: più)?) e?-?mail|e?-?mail (?:a|alla|per) settimana",
    ),
    NIGHTS: _phrases(
        r"(?:at|by|during the|in the|every|over) ?night|overnight|quiet hours|while i['’]m asleep",
        r"nachts|(?:in der|bei|über) nacht|nachtruhe",
        r"la nuit",
        r"(?:di|la) notte",
    ),
    LEAVING: _phrases(
        r"(?:delete|close|remove|cancel) (?:my|the) account|(?:my|the) account (?:\w+ ){0,3}(?:deleted|closed|removed|cancell?ed)",
        r"(?:konto|account) (?:zu )?(?:löschen|schließen|kündigen)|(?:konto|account) (?:\w+ ){0,3}(?:gelöscht|geschlossen)|lösch\w* (?:bitte )?mein (?:konto|account)",
        r"supprim\w+ (?:mon|le) compte",
        r"(?:cancell|elimin)\w+ (?:il mio |l['’])?account",
    ),
    COST: _phrases(
        r"costs?|for free|free of charge|free to (?:play|use)|is (?:it|this|that|playing|everything|(?:the|this) game|sternenpost)(?: \w+)? free|pay|price"
        r"|(?:need|have|create) an account",
        r"kostet|kosten|kostenlos|gratis|bezahlen|brauche ich ein konto",
        r"coûte|payer|gratuit\w*|payant\w*|besoin d['’]un compte",
        r"costa|pagare|serve un account",
    ),
    HOW_LONG: _phrases(
        r"how (?:long|much time|often (?:do|must|will) i)|time (?:limit|control)|deadlines?",
        r"wie (?:lange|viel zeit|oft (?:muss|soll|bin) ich)|zeitlimit|zeitbegrenzung|bedenkzeit|eine frist",
        r"combien de temps|limite de temps|temps limité",
        r"quanto (?:dura|tempo|ci vuole)|limite di tempo|tempo limite",
    ),
    PAUSE: _phrases(r"pause[nrd]?", r"pausier\w*|unterbrech\w*", r"interromp\w*", r"sospend\w*|in pausa"),
    VACATION: _phrases(
        r"(?:i['’]m|i am|we['’]re|we are|be|going) (?:\w+ ){0,2}away|(?<!far )away (?:until|till|for|next|this|\d)|out of town"
        r"|(?:on|my|a) holidays?|holidays? (?:from|until)|vacation|travel(?:l?ing)?",
        r"urlaub|ferien|verreis\w*|(?:bin|sind|ich|wir) (?:\S+ ){0,7}?(?:unterwegs|weg)(?=\W*$|[.,;!?])",
        r"vacances|en voyage|je (?:pars|(?:suis|serai) absente?)",
        r"vacanz[ae]|ferie|in viaggio|(?:sono|sarò) (?:\w+ ){0,2}via",
    ),
    STAND_IN: _phrases(
        r"stand[ -]?in|substitute|replace me|plays? for me", r"vertret\w*|vertritt", r"remplac\w*", r"sostitui\w*"
    ),
    RESIGN: _phrases(
        r"resign|give up|quit|stop playing|leave the (?:game|table)",
        r"aufgeben|aufhören",
        r"abandonn\w*|arrêter",
        r"arrend\w*|abbandon\w*|smettere",
    ),
    UNDO: _phrases(
        r"take (?:\w+ ){0,3}back|undo|change my (?:last )?move",
        r"zurück ?(?:zu ?)?nehmen|rückgängig|meinen (?:letzten )?zug ändern",
        r"(?:annuler|reprendre|retirer|changer) (?:\w+ )?(?:coup|ça)",
        r"(?:annullare|ritirare|riprendere|cambiare) (?:la mia |\w+ )?(?:mossa|quella|questa)|tornare indietro",
    ),
    THE_GAME: _phrases(
        r"what(?: is|['’]?s) (?:this|that|it)|what (?:kind|sort) of games?",
        r"was ist (?:das|es)|was soll das|worum geht\w*|um was geht\w*",
        r"c['’]est quoi|qu['’]est[- ]ce que c['’]est|de quoi s['’]agit",
        r"cos['’]?è|cos['’]e|di cosa si tratta",
    ),
    HOW_TO_PLAY: _phrases(
        r"what do i (?:have to )?do|(?:goal|aim|object(?:ive)?)(?: of (?:the|this) game)?|how (?:do|can|would) (?:i|we|you) play"
        r"|how do(?:es)? (?:this|it|that|the game|one) (?:work|play|go)s?|how is (?:it|this) played"
        r"|sounds (?:\w+ )?(?:difficult|hard|complicated)|i (?:don['’]?t|do not) (?:understand|get)(?: it| this| how \w+| the (?:game|rules))?(?=\W*$)|i['’]?m (?:\w+ )?(?:lost|confused)|how (?:difficult|hard|easy|complicated)|is (?:it|this|the game|that) (?:\w+ )?(?:difficult|hard|easy|complicated|for (?:beginners|children|kids))",
        r"(?:klingt|scheint) (?:\w+ )?(?:schwer|schwierig|kompliziert)|(?:wie (?:schwer|schwierig|leicht|kompliziert)|ist (?:es|das|das spiel) (?:\w+ )?(?:schwer|schwierig|leicht|kompliziert|für (?:anfänger|kinder)))|(?:ich )?(?:verstehe|kapiere|versteh|kapier) (?:ich )?(?:\w+ )?(?:nicht|nichts)|was muss ich (?:tun|machen)|(?:das )?(?:spiel)?ziel(?: des spiels)?|wie (?:spielt|spiele|spielen|funktioniert|geht(?!(?: es|s|['’]s)? (?:dir|euch|ihnen|dem|der|den|deine\w?)\b))",
        r"c['’]est (?:\w+ )?(?:difficile|compliqué|facile|pour (?:débutants|(?:des |les )?enfants))|je ne comprends (?:pas|rien)|(?:le )?but du jeu|comment (?:(?:on |je )?joue\w*|ça marche|ça se joue|fonctionne\w*)",
        r"è (?:\w+ )?(?:difficile|complicato|facile|per (?:principianti|bambini))|non (?:capisco|ho capito)|(?:lo )?scopo del gioco|come (?:si gioca|funziona\w*|gioco|devo giocare)",
    ),
    THE_RULES: _phrases(
        r"rules|explain|tutorial", r"(?:spiel)?regeln|erklär\w*", r"règles|expliqu\w+", r"regole|spiega\w*"
    ),
    SCORING: _phrases(
        r"how (?:do|can|does) (?:i|you|we|one|it)?(?: \w+)? ?(?:score|win|get points|earn points)|what (?:are|is) .{0,20}(?:coins?|points?) for",
        r"(?:wofür|wozu) .{0,20}(?:münzen|punkte)|wie (?:bekomme|mache|sammle|sammelt|bekommt|gewinn\w*|punkte\w*)",
        r"à quoi serv\w+ .{0,20}(?:pièces|points)|comment (?:marque|gagne)\w*",
        r"a cosa serv\w+ .{0,20}(?:monete|punti)|come (?:si )?(?:fanno|fa|vince|vinco|segn\w+)",
    ),
    A_TERM: _phrases(
        rf"{_MEANS}|what happens|how (?:do|does|can)|explain|works?",
        r"wie (?:funktionier\w+|geht|wirkt|wirken)|was passiert|wofür (?:ist|sind)|erklär\w*",
        r"comment (?:fonctionne\w*|marche\w*)|que se passe|expliqu\w+|à quoi ser(?:t|vent)",
        r"come funziona\w*|cosa succede|spiega\w*|a (?:che )?cosa serv(?:e|ono)",
    ),
    WHO_PLAYS: _phrases(
        r"who(?:['’]s| is| are)? (?:else )?(?:is |are )?(?:play(?:s|ing)?|in|there|at the table|joining|invited|with us)|(?:with|against) whom|who (?:will|do|am) (?:i|we) play(?:ing)?|who are the (?:other )?players|are (?:the|my) (?:others|opponents) (?:all )?(?:bots|people|humans)|how many (?:people|players|others|of us)",
        r"wer (?:\w+ ){0,2}(?:mit|spielt|dabei|eingeladen)\w*|(?:mit|gegen) wem|gegen wen|sind (?:das|die anderen|meine gegner) (?:alles )?(?:bots|menschen)|wie viele (?:spieler|leute|personen|mitspieler)\w*",
        r"qui (?:\w+ ){0,2}(?:joue|participe|invité)|(?:avec|contre) qui|(?:les autres|mes adversaires) sont(?:-ils)? des (?:bots|humains)",
        r"chi (?:\w+ ){0,2}(?:gioca|partecipa|invitato)|(?:con|contro) chi|(?:gli altri|gli avversari) sono (?:bot|persone)",
    ),
    BOT_IN_SEAT: _phrases(
        r"bots?\b(?!.{0,80}\bmy\b).{0,40}\bseats?|(?:free|empty|open|last|missing|third|fourth) (?:seats?|places?)\b.{0,40}\bbots?",
        r"bots?\b(?!.{0,80}\bmein\w*).{0,40}\b(?:platz|plätze)|(?:platz|plätze)\b.{0,40}\bbots?",
        r"bots?\b(?!.{0,80}\bma\b).{0,40}\bplaces?|places? (?:libres?|vides?)\b.{0,40}\bbots?",
        r"bot\b(?!.{0,80}\bmio\b).{0,40}\bpost[oi]|post[oi] (?:liber[oi]|vuot[oi])\b.{0,40}\bbot",
    ),
    MEANING: _phrases(
        rf"{_MEANS}.{{0,60}}?{_SIGN}|(?:why|what) .{{0,30}}(?:numbers?|letters?|#\w*)(?: for)?",
        r"(?:wofür|wozu|warum) .{0,30}(?:nummern?|zahl(?:en)?|buchstaben?|#\w*)",
        r"(?:pourquoi|à quoi) .{0,30}(?:numéros?|chiffres?|lettres?|#\w*)",
        r"(?:perch[ée]|a (?:che )?cosa) .{0,30}(?:numer[oi]|letter[ae]|#\w*)",
    ),
    SCORES: _phrases(
        r"scores?|points?|coins?|standings?|(?:who|who['’]s|who is) (?:is )?(?:winning|leading|ahead|first|last)"
        r"|how (?:am i|are we|is it) (?:doing|going)",
        r"punkte?n?|punktestand|münzen?|wie (?:steht|stehe|liege)['’s]*|wer (?:führt|gewinnt|liegt|ist vorn\w*)",
        r"pièces|où en (?:suis|sommes)|qui (?:mène|gagne|est (?:en tête|premier))",
        r"punt[io]|punteggio|monete|come sto andando|chi (?:vince|sta vincendo|è (?:in testa|primo))",
    ),
    TURN: _phrases(
        r"(?:whose|my|your|who['’]s) turn|who(?:['’]s| is)? (?:on|next|to (?:move|play))|who (?:goes|plays|starts|begins) (?:first|next)|who starts|(?:who|what) are we waiting for"
        r"|waiting for (?:me|whom?)",
        r"(?:wer|bin ich|bist du|ist \w{1,20}) (?:ist |jetzt |schon |gerade ){0,3}(?:dran|am zug|an der reihe)|wer (?:fängt an|beginnt)|auf wen warten wir",
        r"à qui (?:le tour|est-ce|c['’]est|de jouer)|(?:est-ce|c['’]est) (?:à moi|mon tour)|qui joue(?! avec)|qui commence",
        r"a chi tocca|tocca a (?:me|chi)|di chi è il turno|è il mio turno|chi (?:gioca(?! con)|deve giocare|inizia|comincia)",
    ),
    DUE: _phrases(
        r"when (?:is|does|do|will|must) (?:my|the|i)\b(?! game).{0,20} (?:over|up|due|end|ends|expire|run out|move|play)|(?:how long|how much time) (?:do )?i (?:still )?have"
        r"|how much time (?:is left|is there|have i)|my deadline|until when",
        r"wann (?:\w+ ){0,3}(?:zeit|zug) (?:\w+ )?(?:ab|um|vorbei|zu ende|abgelaufen)|bis wann|wie (?:viel zeit|lange) (?:habe|hab) ich|wann muss ich",
        r"quand (?:\w+ ){0,4}(?:tour|temps)|jusqu['’]à quand|(?:combien de )?temps (?:me reste|ai-je)",
        r"quando (?:\w+ ){0,3}(?:turno|tempo)|entro quando|quanto tempo (?:ho|mi (?:resta|rimane))",
    ),
    PICTURES: _phrases(
        r"(?:no|without|hide|turn off|don['’]?t (?:\w+ ){0,3}) ?(?:pictures|images)|plain[ -]text|text[ -]only|only text",
        r"(?:keine|ohne) bilder|nur(?: als)? (?:\w+ )?text|reine?r? text",
        r"(?:pas d['’]|sans )images|texte (?:seul|brut|simple)",
        r"(?:niente|senza) immagini|solo testo|testo semplice",
    ),
    WRITING: _phrases(
        r"(?:how|where) (?:do|can|should|must|would) (?:i|we|you) (?:write|make|send|enter|put|place|lay|move)(?! to (?:the|them|every|my))",
        r"(?:wie|wo|wohin) (?:kann |soll |muss |darf )?(?:schreibe?|mache?|lege?|setze?|bewege?|schicke?|ziehe?)?(?: ich)?(?: (?:einen?|den|meine[nr]?|die))* (?:zug|züge|sterne?|karten?)\b",
        r"(?:comment|où) (?:(?:puis-je|je (?:peux|dois)|faut-il|on|je) )?(?:écri\w+|jouer|joue|place\w*|pose\w*|déplace\w*) (?:un|une|mon|mes|le|les|l['’])",
        r"(?:come|dove) (?:posso |devo |si )?(?:scriv\w+|facci\w+|mett\w+|spost\w+|pos\w+) (?:un|una|la|le|l['’]|mi[ae])",
    ),
    MOVES: _phrases(
        r"(?:what|which) (?:moves|options)|what are my (?:moves|options)|where (?:can|may) i (?:put|place|lay|move|play)",
        r"welche züge|(?:wohin|wo) (?:kann|darf) ich",
        r"quels coups|où (?:puis-je|je peux)",
        r"quali mosse|dove posso",
    ),
    SEEING: _phrases(
        r"(?:which|what) (?:stars|cards) do i have|(?:in )?my hand|(?:see|show|send)(?: me)? (?:the )?(?:table|board|sky|picture)",
        r"welche (?:sterne|karten) habe ich|(?:auf|in) (?:der|meiner) hand|(?:zeig\w*|schick\w*|sehen?)\b.{0,35}(?:tisch|brett|himmel|bild)|(?:tisch|brett|bild) sehen",
        r"quelles (?:étoiles|cartes) (?:ai-je|j['’]ai)|en main|(?:voir|montre\w*|envoie\w*)(?:[ -]moi)? (?:la table|le plateau|l['’]image)",
        r"quali (?:stelle|carte) ho|in mano|(?:vedere|mostra\w*|manda\w*) (?:il tavolo|il tabellone|l['’]immagine)",
    ),
    HISTORY: _phrases(
        r"what(?:['’]s| is) new|what (?:has )?happened|what (?:did|have) (?!i\b|we\b)(?:the )?\w+ (?:just )?(?:play|played|do|done)",
        r"was (?:ist|gibt es|gibt['’]?s) (?:\w+ )?neue?s?|was ist (?:\w+ ){0,5}passiert|was (?:hat|haben) (?!ich\b)(?:die )?\w+ (?:gespielt|gemacht|getan|gezogen|gelegt)",
        r"quoi de neuf|(?:que s['’]est-il|qu['’]est-ce qui s['’]est) passé|qu['’](?:a|ont) (?:joué|fait)|qu['’]est-ce (?:que |qu['’])(?!j['’])(?:les )?\w+ (?:a|ont) (?:joué|fait)",
        r"novità|(?:che )?cosa (?:è successo|ha (?:giocato|fatto)|hanno (?:giocato|fatto))",
    ),
    TALKING: _phrases(
        r"(?:write|talk|chat|speak|send|reply) (?:\w+ ){0,2}(?:to|with) (?:the )?(?:others?|other players|everyone|everybody|them|my opponents?)",
        r"(?:den anderen|allen|den mitspieler\w*|mit den anderen) (?:\w+ ){0,2}(?:schreib\w*|chat\w*|red\w*|sprech\w*)|schreib\w* (?:ich )?(?:\w+ )?(?:den anderen|allen|den mitspieler\w*)",
        r"(?:écri\w+|parler) (?:aux|avec les) autres(?: joueurs)?",
        r"(?:scriv\w+|parl\w+) (?:agli altri|con gli altri|a tutti)",
    ),
    PASSING: _phrases(
        r"(?:(?:can|may) i (?:pass|skip)|(?:do i have to|must i) (?:move|play))(?: (?:now|my turn|a turn|this turn))?(?=\W*$)",
        r"(?:kann|darf|muss) ich (?:\w+ ){0,2}(?:passen|aussetzen|ziehen)(?=\W*$)",
        r"(?:(?:puis-je|je peux) passer|(?<!que )dois-je jouer)(?: mon tour)?(?=\W*$)",
        r"(?:posso (?:passare|saltare)|(?<!cosa )devo giocare)(?: il turno)?(?=\W*$)",
    ),
    PLAN: _phrases(
        r"plan (?:my |a |the )?(?:next )?(?:moves?|turns?|ahead)|in advance",
        r"(?:zug|züge) (?:\w+ )?planen|(?:im )?voraus",
        r"planifier|à l['’]avance",
        r"pianificare|in anticipo",
    ),
    LATE: _phrases(
        r"(?:what (?:if|happens|would happen)|what does it cost|(?:can|may) i be|is it \w+ (?:if|to be)|am i|do i) (?:\S+ ){0,7}?(?:late|in time|on time|out of time|time (?:is |runs )?(?:out|up|over)|miss\w*|forget|(?:don['’]?t|can['’]?t|not|never|doesn['’]?t|stops?) (?:move|play|answer|reply|respond)\w*|nothing)"
        r"|lose my (?:seat|turn|place)",
        r"(?:was (?:passiert|ist|geschieht)|(?:darf|kann|bin|verliere) ich|ist es \S+ wenn),? (?:\S+ ){0,7}?(?:zu spät|verspät\w*|zeit (?:verpass\w*|abl\w+|um|vorbei)|verpass\w*|rechtzeitig|vergess\w*|(?:nicht|nie) (?:mehr )?(?:antwort\w*|zieh\w*|spiel\w*))"
        r"|verliere ich (?:\w+ )?(?:meinen platz|meinen zug)",
        r"(?:que se passe-t-il|qu['’]arrive-t-il|et si|puis-je|est-ce \w+ si) (?:\S+ ){0,7}?(?:en retard|à temps|trop tard|écoulé|mon tour|oublie|ne (?:joue\w*|répond\w*) (?:pas|jamais|plus))|perd(?:s|rai)?(?:-je)? ma place",
        r"(?:(?:che )?cosa succede|e se|posso|è \w+ se) (?:\S+ ){0,7}?(?:ritardo|in tempo|tardi|scad\w+|(?:salto|perdo) (?:il|un) (?:turno)|dimentico|non (?:gioc\w+|rispond\w+))|perdo il (?:mio )?posto",
    ),
    ENDING: _phrases(
        r"(?:when|how) (?:does|do|will|is|are) (?:it|(?:the|this|our) game|we) (?:all )?(?:end|finish|stop|over|be over|done)|how many (?:rounds|turns)",
        r"(?:wann|wie) (?:endet|ist) (?:es|das spiel|die partie)(?: (?:zu ende|vorbei|aus))?|wie viele (?:runden|züge)",
        r"(?:quand|comment) (?:finit|(?:se termine|s['’]achève)) (?:la partie|le jeu)|quand est-ce que (?:ça|la partie|le jeu) (?:se )?(?:finit|termine)|combien de (?:tours|coups|manches)",
        r"(?:quando|come) (?:finisce|termina)(?: la partita| il gioco)?|quanti turni",
    ),
    JOINING: _phrases(
        r"(?:can|could|may) .{1,40}\b(?:join|play too|play along|take part)",
        r"(?:kann|könnte|darf) .{1,40}\b(?:mitspielen|mitmachen|dazukommen|einsteigen)",
        r"(?:peut|pourrait) .{1,40}\b(?:jouer avec nous|participer|nous rejoindre|se joindre)",
        r"(?:può|potrebbe) .{1,40}\b(?:giocare con noi|partecipare|unirsi)",
    ),
    MY_GAMES: _phrases(
        r"(?:what|which|how many) games (?:do i (?:have|play)|am i (?:in|playing)|are (?:running|waiting))|(?:list|show)(?: me)?(?: all)? my games",
        r"(?:welche|wie viele|in welchen|in wie vielen) (?:partien|spielen?) (?:habe|spiele|bin) ich|(?:zeige?|liste)(?: mir)?(?: alle)? meine (?:partien|spiele)",
        r"quelles (?:sont mes )?parties(?: ai-je)?|combien de parties|mes parties en cours",
        r"(?:quali|quante) partite (?:ho|sto)|(?:mostra(?:mi)?|elenca) le mie partite",
    ),
    LAST_MOVE: _phrases(
        r"my (?:last|latest|previous) (?:move|turn)|what (?:did|have) i (?:just )?(?:last )?(?:play|played|do|done|move|moved)",
        r"mein(?:en)? letzte[rn]? zug|was (?:habe|hab) ich (?:\w+ )?(?:gespielt|gezogen|gelegt|gemacht)",
        r"mon dernier coup|qu['’]ai-je joué|qu['’]est-ce que j['’]ai joué",
        r"(?:mia )?ultima mossa|(?:che )?cosa ho giocato",
    ),
    REFUSED: _phrases(
        r"why .{0,30}\b(?:refused|rejected|declined)|what was wrong"
        r"|why (?:wasn['’]t|didn['’]t|isn['’]t|was|did) (?:my (?:move|email)|it|that)\b.{0,30}\b(?:played|accepted|work|count|done)",
        r"(?:warum|wieso|weshalb) .{0,40}\b(?:abgelehnt|zurückgewiesen|nicht (?:gespielt|angenommen|ausgeführt|gezählt))|was war (?:daran )?falsch",
        r"pourquoi .{0,40}\b(?:refusée?|rejetée?|pas (?:été )?(?:jouée?|acceptée?))",
        r"perch[ée] .{0,40}\b(?:rifiutat\w+|respint\w+|non .{0,20}(?:giocat|accettat)\w+)",
    ),
    SECRETS: _phrases(
        r"(?:can|does|do|will|could) [\w ]{1,40}? (?:see|know|read|look at)\b.{0,30}\b(?:my|mine|our)|who (?:can see|sees|knows|can read)|(?:are|is) my \w+ (?:hidden|secret|visible|private)"
        r"|what (?:can|do) (?:the )?(?:others?|other players|everyone) (?:see|know)|what is (?:secret|hidden)"
        r"|why (?:can['’]?t|cannot|don['’]?t|do) i (?:not )?(?:see|know)",
        r"(?:sieht|sehen|kennt|kennen|weiß|wissen) .{0,40}\bmein\w*\b|(?:kann|können) .{0,40}\bmein\w*\b.{0,40}\b(?:sehen|lesen|wissen)|wer (?:sieht|kann|kennt)\b.{0,30}\b(?:mein\w*|sehen)|was (?:sehen|wissen) die anderen|(?:ist|sind) mein\w* \w+ (?:geheim|verdeckt|sichtbar)|(?:warum|wieso|weshalb) (?:sehe ich|kann ich .{0,40}\bsehen)",
        r"(?:voit|voient|peut|peuvent|connaît) .{0,30}\bm(?:on|a|es)\b|qui (?:voit|peut voir)|que voient les autres|pourquoi (?:je ne (?:vois|peux)|ne (?:vois|puis)-je) pas\b.{0,10}\b(?:voir|l|d)\w*",
        r"(?:vede|vedono|può|possono|conosce) .{0,40}\bmi[eoa]i?\b|chi (?:vede|può vedere)|(?:che )?cosa vedono gli altri|perch[ée] non (?:vedo|posso vedere)",
    ),
    STOPPING: _phrases(
        r"how (?:do|can|could) (?:i|we) (?:\w+ )?(?:stop|quit|leave|resign|get out|end (?:this|it))|(?:can|may) i (?:stop|quit|leave)",
        r"wie (?:kann|höre?|steige?|komme) ich (?:\w+ ){0,3}(?:auf|aus|raus|heraus|aufhören|aussteigen)|(?:kann|darf) ich (?:\w+ ){0,2}(?:aufhören|aussteigen)",
        r"comment (?:\w+ ){0,2}(?:arrêter|arrête|quitter|abandonner)|(?:puis-je|je peux) (?:arrêter|quitter)",
        r"come (?:\w+ ){0,2}(?:smetto|smettere|esco|uscire|abbandon\w+)|posso (?:smettere|uscire)",
    ),
    STARTING: _phrases(
        r"when (?:do|does|will|did|can|is|are) (?:\w+ ){1,3}(?:start|begin|starting|beginning)",
        r"wann (?:\w+ ){1,3}(?:los|an)(?:gehen)?|wann (?:beginn\w+|fang\w+|start\w+)",
        r"quand (?:\w+[ -]){1,4}commenc\w+",
        r"quando (?:\w+ ){0,2}(?:comincia|cominciamo|inizia|iniziamo)\w*",
    ),
    APP: _phrases(
        r"(?:an|the|any|your|mobile|phone) apps?|apps?\b.{0,30}\b(?:phone|iphone|android|store)|on (?:my|a|the) (?:phone|tablet|iphone|web)|in (?:my|a|the) browser|(?:install|download) (?:any|some)thing",
        r"(?:eine?|die|als) apps?|handy-?app|auf dem (?:handy|smartphone|tablet)|im browser|(?:etwas|was) (?:installieren|herunterladen)",
        r"une? appli(?:cation)?|dans (?:le|un|mon) navigateur",
        r"un['’]app(?:licazione)?|nel (?:mio )?browser",
    ),
    ADVICE: _phrases(
        r"best moves?|good moves?|(?:what|where|how) (?:should|shall|would|do|can) (?:i|you|we) (?:\w+ )?(?:do|play|move|put|start)|hints?",
        r"beste[nr]? (?:\w+ )?z[uü]ge?n?|guter zug|was (?:soll|sollte|kann|würdest|mache|muss) (?:ich|du)|tipps?",
        r"meilleurs? coups?|que (?:dois|devrais|faire|puis)|conseils?",
        r"moss[ae] miglior[ei]|miglior[ei] moss[ae]|(?:cosa|che cosa|che) (?:devo|dovrei|posso|faccio)|suggeriment[oi]|consigli[o]?",
    ),
    PLAYING: _phrases(
        r"play|playing|(?:a|another|one) game",
        r"(?:mit)?spielen?|(?:ein|eine|einer) (?:spiel|partie|runde)",
        r"jouer|jouons|une (?:autre )?partie",
        r"gioc(?:are|o|hiamo)|una(?:['’]altra)? partita",
    ),
    WANTING: _phrases(
        r"['’]d (?:like|love)|can|could|may|want|wanna|would|let['’]?s|let me|how about",
        r"möchten?|moechten?|will|wollen|würden?|kann|können|darf|dürfen|lust|lass",
        r"veux|voudrais|voudrions|aimerais|peux|peut|puis|envie",
        r"voglio|vorrei|vorremmo|posso|possiamo|potrei|voglia",
    ),
    INVITING: _phrases(r"invit\w*", r"einlad\w*|lade\b.{1,60}\bein"),
    BOTS: _phrases(r"bots?|ro-?bots?|(?:the )?(?:computer|machine|cpu)|ai", "ki", "ordinateur"),
    PEOPLE: _phrases(
        r"(?:other |real )?(?:people|players|persons?|humans?)|friends?|someone|somebody|others",
        r"menschen|leuten?|freund\w*|mitspieler\w*|jemand\w*|anderen?|echten?",
        r"personnes|gens|amie?s?|quelqu['’]un|autres|humains?",
        r"persone|amic[ioah]\w*|qualcuno|altri|umani",
    ),
}

_EXCEPT: Mapping[str, re.Pattern[str]] = {  # sentences that only seem to be about a topic
    topic: re.compile(rf"(?:^|(?<=[.?!]))(?:[^.?!]*\b)?(?:{words})\b[^.?!]*", re.IGNORECASE)
    for topic, words in {
        SCORES: "why|how come|what (?:are|is) .{0,20} for|warum|wieso|weshalb|wofür|wozu|pourquoi|à quoi serv\\w+|perch[ée]|a cosa serv\\w+",
        SEEING: "why|how come|warum|wieso|weshalb|pourquoi|perch[ée]",
        COST: r"late|in time|on time|too (?:long|slow)|spät|verspät\w*|rechtzeitig|zu (?:lange|langsam)|retard|à temps|ritardo|in tempo",
        VACATION: r"happy|enjoy|have an? (?:nice|good|great)|(?:i|we) (?:was|were)|(?:just )?back from|(?:ich|wir) waren?|war(?:en)? (?:ich|wir|im|in|auf)|j['’]étais|nous étions|ero|eravamo|schöne[ns]? (?:urlaub|ferien)|frohe|bonnes vacances|buone (?:vacanze|ferie)",
        LAST_MOVE: r"good|bad|best|better|right|wrong|smart|clever|stupid|mistake|gut|schlecht|richtig|falsch|klug|schlau|dumm|fehler"
        r"|bon(?:ne)?|mauvaise?|juste|erreur|buon[ao]?|cattiv[ao]|giust[ao]|sbagliat[ao]|errore",
    }.items()
}

OF_DESK = (
    MAILS,
    NIGHTS,
    LEAVING,
    COST,
    HOW_LONG,
    PAUSE,
    SCORING,
    BOT_IN_SEAT,
    APP,
    STOPPING,
    MY_GAMES,
    LATE,
    PICTURES,
)  # the post desk answers sentences about these
OF_FACTS = (  # a question about these casts no doubt on a move beside it
    *(
        MAILS,
        NIGHTS,
        LEAVING,
        COST,
        HOW_LONG,
        THE_GAME,
        HOW_TO_PLAY,
        THE_RULES,
        SCORING,
        MEANING,
        BOT_IN_SEAT,
        WHO_PLAYS,
    ),
    *(SCORES, TURN, DUE, LAST_MOVE, REFUSED, SECRETS, STOPPING, APP, VACATION, STAND_IN),
    *(ENDING, JOINING, MY_GAMES, LATE, PICTURES),
    *(SEEING, HISTORY, TALKING, PLAN),
)


def only_seems_about(text: str, topic: str) -> bool:
    """Return whether words in a text show that it isn't about a topic that it resembles, such as "Why ...?" for scores."""
    return topic in _EXCEPT and _EXCEPT[topic].search(text) is not None


def is_about(text: str, *topics: str) -> bool:
    """Return whether sentences may be about one of these topics."""
    known = (it for it in topics if it in _TOPICS)
    return any(_TOPICS[it].search(_EXCEPT[it].sub("", text) if it in _EXCEPT else text) for it in known)
