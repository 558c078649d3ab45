"""Replies to invitations and to requests: yes or no, in four languages.

The reply address of an invitation is secret. The reply must also come from the invited address, since people forward
invitations.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple
from unicodedata import normalize
from uuid import uuid4

from flask_babel import gettext

from server.accounts.bans import is_welcome
from server.accounts.notice_kinds import RSVP
from server.accounts.players import address_of, suggested_name
from server.accounts.signed_links import INVITATION, is_mark_of, sign
from server.clock import clock
from server.errors import AlreadySeated, NotFound, PlayError, SeatTaken
from server.games import Json, MalformedMove, Seat
from server.play.commits import load
from server.play.game import Game
from server.play.seating.games import LONGEST_GREETING, MOST_LINES
from server.play.seating.seats import accept_invitation, can_reconsider, decline_invitation, invited_address, reconsider
from server.play.seating.stand_ins import accept_as_addressee, decline_stand_in, open_stand_in_link, stand_in_word
from server.post.desk.commands import BY_NAME, DAYS_OFF, HELP, LANGUAGE, RULES, VACATION
from server.post.desk.reading import first_name_in, read_line, unsigned
from server.post.desk.rule_texts import game_in_short, rules_in_short, section_about
from server.post.desk.setting_lines import line_for_setting
from server.post.desk.setting_wishes import wished_setting, without_wishes_for_emails
from server.post.desk.wishes import introduced_in, lines_picked, name_in, only_names
from server.post.general_answers import OF_NEWCOMERS, answers_about_desk, general_answer
from server.post.incoming import replies
from server.post.incoming.doubt import (
    NAMES,
    SENTENCE,
    contradiction_in,
    is_courtesy,
    is_harmless_question,
    is_question,
    sentences_in,
    without_footer,
)
from server.post.incoming.lines import Wishes, without_farewell, without_hail, without_smileys
from server.post.mime import fit_id
from server.post.nearest_topics import nearest_reply, nearest_topic
from server.post.terms import STOPPING_AT_TABLE, terms_of
from server.post.topics import (
    A_TERM,
    APP,
    COST,
    DUE,
    HOW_LONG,
    HOW_TO_PLAY,
    LATE,
    LEFT,
    MAILS,
    NIGHTS,
    STARTING,
    STOPPING,
    THE_GAME,
    THE_RULES,
    WHO_PLAYS,
    is_about,
)
from server.post.wording import spoken
from server.sanitize import clean, clean_lines, has_link, without_links
from server.store.tables import GameRow, Incoming, Player, SeatRow, StandIn, db
from server.translations import noted

YES, NO = "yes", "no"
_LIKELY = {  # what a person can do whose reply resembles examples
    "yes": noted('To take your seat, reply just "yes".'),
    "no": noted('To decline, reply just "no".'),
    "later": noted('Your seat stays reserved. Reply "yes" as soon as you can play.'),
    "unsure": noted('Your seat stays reserved. Reply "yes" or "no" when you know.'),
}

_THANKS = (
    "please|thanks|thank you|gladly|with pleasure|of course|bitte|danke|vielen dank|gern|gerne|sehr gern|sehr gerne"
    "|natürlich|merci|volontiers|avec plaisir|bien sûr|grazie|volentieri|con piacere|certo|per favore"
)
_AGREEING = (
    "i['’]d love to|i would love to|i['’]m in|count me in|sounds good|sounds great|let['’]s play|ich bin dabei|bin dabei"
    "|ich spiele mit|mit vergnügen|sehr gerne dabei|j['’]en suis|je joue|avec joie|ci sto|molto volentieri"
)
_REFUSING = (
    "sorry|i can['’]t|not this time|leider nicht|diesmal nicht|keine zeit|désolée?|pas cette fois|mi dispiace"
    "|non questa volta"
)
_EXCUSING = (
    "i don['’]t have (?:the )?time|i have no time|no time|i['’]m (?:too )?busy|not now|not today|not interested"
    "|(?:ich habe |leider )?keine zeit|ich kann leider nicht|keine lust|je n['’]ai pas le temps|je ne peux pas"
    "|pas maintenant|non ho tempo|non posso|non ora|adesso no|(?:please )?ask me (?:again )?(?:later|in|next|another)"
    "|fragt? mich (?:bitte )?(?:im|in|nächste[ns]?|später|ein andermal)"
    "|(?:redemande|demande)[sz]?[- ]moi (?:en|dans|plus tard|une autre)|(?:ri)?chiedimelo (?:a|in|tra|fra|più tardi|un['’]altra)"
)
_INTENDING = (
    "i['’]ll|i will|i want|i would like|i['’]d like|let me|ich will|ich möchte|ich spiele|ich würde|ich mache|je veux"
    "|je voudrais|j['’]aimerais|je participe|voglio|vorrei|gioco|partecipo"
)
_LEADING = (
    "ok(?:ay)?|oh|hey|well|sure|great|cool|super|wow|awesome|nice|perfect|sorry|unfortunately|actually|on second thoughts?|fine|all ?right|(?:na |also )?gut|toll|prima|jo|klar|na klar|leider|tut mir leid|bon|d['’]accord"
    "|désolée?|malheureusement|chouette|génial|parfait|bene|perfetto|va bene|certo|purtroppo|mi dispiace"
)

_LED_IN = rf"(?:(?:{_LEADING})[ ,.!–-]{{1,3}}){{0,2}}"


def _saying(word: str, more: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{word})(?:[ ,.!]+(?:{_THANKS}|{more})){{0,2}}[ .!]*", re.IGNORECASE)


def _beginning(word: str, more: str) -> re.Pattern[str]:
    return re.compile(rf"{_LED_IN}({word})(?:{more})", re.IGNORECASE)


_SAID = {
    YES: _saying("yes|yep|yeah|ja|jup|oui|ouais|s[iì]", _AGREEING),
    NO: _saying("no|nope|nein|n[öe]e?|non", _REFUSING),
}
_BEGINS = {
    YES: _beginning(
        "yes|yep|yeah|ja|oui|s[iì]|i['’]m in|i am in|count me in|(?:ich )?bin dabei|j['’]en suis|ci sto",
        rf"\s?[,.!;:–-]|\s(?:{_THANKS}|{_AGREEING}|{_INTENDING})",
    ),
    NO: _beginning(
        "no|nein|non", rf"[ ,.!]+(?:thanks|thank you|danke|vielen dank|merci|grazie|{_REFUSING}|{_EXCUSING})"
    ),
}
_ANOTHER_TIME = (
    r"(?:maybe|perhaps|vielleicht|peut-être|forse) (?:(?:another|next|nächstes?|ein anderes|une autre|un['’]altra)"
    r" (?:time|month|year|mal|jahr|fois|volta)|ein andermal)"
)
_NOW_WITHOUT_TIME = (  # alone, this may put off a yes
    r"(?:(?:i don['’]t have (?:the |any )?time|i have no time|no time|i['’]m (?:too |very )?busy) (?:at the moment|right now|now)"
    r"|(?:ich habe |leider |gerade |im moment |zurzeit ){1,4}keine zeit|je n['’]ai pas le temps (?:en ce moment|pour le moment)"
    r"|non ho tempo (?:al momento|adesso|in questo momento)|(?:al momento|adesso|in questo momento) non ho tempo)"
)
_SORRY = r"(?:(?:i['’]m |so |very ){0,2}sorry|unfortunately|(?:es )?tut mir leid|leider|désolée?|malheureusement|mi (?:di)?spiace|purtroppo|scusa(?:te)?)"
_TOO_BUSY = (  # behind an apology, this is a no
    r"(?:(?:i have |i['’]ve (?:got )?|there['’]s |got )?(?:just |far |way ){0,2}too much (?:on|going on|to do|work)(?: my plate)?"
    r"|i (?:don['’]t have|have no) (?:the |any )?time|no time|(?:i['’]m )?(?:too |very |really )?(?:busy|swamped|snowed under)"
    r"|(?:ich habe |habe ich )?(?:gerade |im moment |momentan |zurzeit |derzeit )?(?:keine zeit|(?:viel )?zu viel (?:zu tun|los|um die ohren|arbeit))"
    r"|(?:je n['’]ai )?pas le temps|(?:j['’]ai )?(?:beaucoup )?trop (?:de travail|à faire|de choses à faire)|(?:je suis )?(?:trop|très) occupée?"
    r"|(?:ho |c['’]è )?troppo da fare|(?:ho )?troppi impegni|(?:non ho|niente) tempo|(?:sono )?troppo impegnat[oa])"
    r"(?: (?:at the moment|right now|now|these days|this (?:week|month)|gerade|im moment|momentan|zurzeit|derzeit"
    r"|en ce moment|pour le moment|pour l['’]instant|al momento|adesso|ora|in questo (?:momento|periodo)))?"
)
_RATHER_NOT = (
    rf"{_SORRY}[ ,.!–-]{{1,3}}(?:but |aber |mais |ma )?{_TOO_BUSY}"
    rf"|{_SORRY} (?:no|nein|non)[ ,.!–-]{{1,3}}{_TOO_BUSY}"
    r"|(?:maybe |perhaps |vielleicht |peut-être |forse |magari )?(?:another time|some other time|next time|ein ander(?:es )?mal|nächstes mal|une autre fois|la prochaine fois"
    r"|(?:sarà per )?un['’]altra volta|la prossima volta)|(?:stavolta|questa volta) no|i['’]ll (?:have to )?pass(?: on (?:this|that)(?: one)?)?"
    r"|i (?:must|have to|will) decline|i['’]d rather not|count me out|(?:it['’]s )?not for me|ohne mich|(?:das ist )?nichts für mich"
    r"|ich muss (?:leider )?(?:absagen|passen|verzichten)|(?:ce sera )?sans moi|pas pour moi|je (?:décline|refuse)|je préfère ne pas (?:jouer|participer)"
    r"|non fa per me|devo (?:rifiutare|declinare)|preferisco di no|senza di me|thanks but no thanks|i (?:can['’]t|cannot)"
    r"|(?:i would |i['’]d )?rather not(?: (?:play|join))?|ich (?:möchte|will) (?:lieber |leider )?nicht(?: mitspielen| mitmachen)?|lieber nicht"
    rf"|(?:ach )?n[eö]e?[ ,.!–-]{{1,3}}(?:das ist mir (?:gerade |im moment )?zu viel|{_TOO_BUSY})"
)
_SURE = re.compile(  # confirms what we ask about
    r"(?:yes|ja|oui|s[iì])[ ,.!–-]{1,3}(?:i['’]m|i am|ich bin(?: mir)?|bin ich(?: mir)?|(?:j['’]en|je) suis|(?:ne )?sono)(?: (?:quite|very|absolutely|ganz|absolut|tout à fait|proprio|molto))? "
    r"(?:sure|certain|sicher|sûre?|certaine?|sicur[oa]|cert[oa])[ .!]*",
    re.IGNORECASE,
)
_CONSENT = (
    "(?:i['’]d |i would )?(?:be )?(?:love|happy|glad) to(?: (?:play|join|come|join you))?|(?:yes|ja|oui|s[iì])(?=[ ,]+\\w)|sure|of course"
    "|absolutely|ok(?:ay)?|al(?:l ?)?right(?: then)?|why not|(?:na )?klar|natürlich|warum nicht|bien sûr|d['’]accord|pourquoi pas|certo|va bene"
    "|perch[éè] no|i['’]m in|i am in|count me in|gladly|with pleasure|(?:ich )?bin dabei|(?:i['’]ll|let me|i will) (?:try(?: it)?"
    "|give it a (?:try|go|shot))|let['’]s (?:do it|try(?: it)?|play|go)|(?:ich |dann )?(?:probier|versuch)e?n?(?: (?:ich|wir))?['’ ]?(?:e?s|das)?"
    "(?: ich)?(?: mal)?(?: aus)?|(?:na )?gut(?:,? dann)? (?:spiele|mache) ich mit|(?:ich )?(?:spiele|mache) mit|überredet|ihr habt mich überredet"
    "|(?:das )?(?:klingt|hört sich) (?:sehr )?gut(?: an)?|j['’]essaie|je veux bien(?: essayer)?|ci provo|proviamo(?:ci)?|(?:sehr )?gerne?(?: dabei)?"
    "|j['’]en suis|avec (?:joie|plaisir)|volontiers|ci sto|(?:molto )?volentieri|con piacere|sounds (?:good|great)|i accept"
)
_OTHERWISE_SAID = {  # without a yes or no, if it is all that the reply says
    YES: re.compile(
        rf"{_LED_IN}(?:{_CONSENT})(?:[ ,.!–-]{{1,3}}(?:{_CONSENT}|{_THANKS}|{_AGREEING}|yes|ja|oui|s[iì])){{0,4}}(?: ?\?)?[ .!]*",
        re.IGNORECASE,
    ),
    NO: re.compile(
        rf"(?:sorry \w{{2,20}}[ ,]+)?{_LED_IN}(?:(?:i (?:just |really )?don['’]t have (?:the |any )?time(?: (?:at the moment|right now|now)(?=[ ,.!–-]{{1,3}}{_ANOTHER_TIME}))?|i have no time|no time|i['’]m (?:too |very )?busy|not interested"
        r"|not this time|(?:unfortunately|sorry|i['’]m afraid)[ ,]+i (?:can['’]t|cannot)|i (?:can['’]t|cannot) (?:make it|play|join)|(?:(?:it['’]s |that['’]s )?(?:much |a bit )?too (?:long|hard|difficult)(?: for me)?|(?:das ist |das dauert )?mir (?:viel )?zu (?:lang(?:e)?|schwer|schwierig)|(?:c['’]est )?trop (?:long|difficile)(?: pour moi)?|(?:è )?troppo (?:lung[oa]|difficile)(?: per me)?)(?=[ ,.!–-]{1,3}(?:no|nein|non)\b)|(?:ich habe |leider ){0,2}keine zeit|(?:ich kann |leider kann ich |kann ich )(?:leider )?nicht(?: mitspielen)?|keine lust"
        rf"|diesmal nicht|je n['’]ai pas le temps|je ne peux pas|pas cette fois|non ho tempo|non posso|non questa volta)(?: this (?:time|month|year))?|{_RATHER_NOT}"
        rf"|{_NOW_WITHOUT_TIME}(?=[ ,.!–-]{{1,3}}{_ANOTHER_TIME}))"
        rf"(?:[ ,.!–-]{{1,3}}(?:(?:no|nein|non),? (?:{_THANKS})|{_THANKS}|sorry|désolée?|mi dispiace|{_TOO_BUSY}|{_ANOTHER_TIME})){{0,2}}[ .!]*",
        re.IGNORECASE,
    ),
}
_FIRST_ONE = re.compile(  # of several invitations
    rf"{_LED_IN}(?:(?:yes|ja|oui|s[iì]|gerne?|gladly|volontiers|volentieri)[ ,.!]+)?(?:(?:i['’]ll take |i take |ich nehme |je prends |prendo )?"
    r"(?:the (?:first|1st)(?: one| game)?|(?:das|die|den) erste[ns]?(?: spiel| partie| einladung)?|(?:la première|le premier)(?: partie| jeu)?"
    rf"|(?:il primo|la prima)(?: partita| gioco)?))(?:[ ,.!]+(?:{_THANKS}))?[ .!]*",
    re.IGNORECASE,
)
_IS_ANSWER = re.compile(r"(?:yes|ja|oui|s[iì]|ok|no|nein|non)\b", re.IGNORECASE)
_HARMLESS = re.compile(  # denials and conditions that only sound like one
    r"\b(?:why not|no problem|can['’]?t wait|cannot wait|warum nicht|kein problem|pourquoi pas|pas de (?:problème|souci)"
    r"|perch[éè] no|nessun problema|non vedo l['’]ora"
    r"|on second thoughts?|(?:i['’]ve |i have |i )?changed my mind|(?:ich habe (?:es mir|mich) )?(?:doch )?(?:noch(?: ?mal)? )?(?:anders überlegt|umentschieden)"
    r"|(?:j['’]ai )?changé d['’]avis|(?:ho )?cambiato idea|(?:ci ho )?ripensato|après réflexion"
    r"|(?:come|cosa|dove|quando|quanto) si|(?:don['’]?t|do not) (?:yet )?know (?!if|whether)|(?:kenne|weiß|kann)(?: \w+){0,3}?(?: noch)? nicht"
    r"|ne (?:connais|sais) pas(?: encore)?|non (?:conosco|so) (?!se\b))",
    re.IGNORECASE,
)
_HEDGES = {
    YES: re.compile(
        r"\b(?:but|if|unless|or|maybe|perhaps|not|no|nope|later|only|wait|aber|wenn|falls|sofern|oder|vielleicht|nicht|kein\w*"
        r"|nein|später|erst|nur|mais|si|sauf|ou|peut-être|pas|non|plus tard|seulement|ma|se|oppure|forse|più tardi|solo"
        r"|dopo|can['’]?t|cannot|won['’]t|don['’]t|didn['’]t)\b",
        re.IGNORECASE,
    ),
    NO: re.compile(
        r"\b(?:but|if|unless|yes|ja|oui|sì|wait|needed|aber|doch|wenn|mais|si|ma|se|i['’]m in|count me in|problem\w*|nötig)\b",
        re.IGNORECASE,
    ),
}
_WORD_OF_CONSENT = (
    "i agree|agreed|ich stimme zu|(?:ich bin )?einverstanden|(?:je suis )?d['’]accord|j['’]accepte|(?:sono )?d['’]accordo?|accetto"
    "|ok(?:ay)?|sure|fine|(?:fine|ok(?:ay)?|all right) (?:with|by|for) me|go ahead|no problem|of course|please|thanks|thank you|klar|na klar|gern|gerne"
    "|in ordnung|geht klar|kein problem|von mir aus|meinetwegen|natürlich|bitte|bien sûr|pas de (?:problème|souci)|volontiers|vas-y"
    "|va bene|certo|per me va bene|nessun problema|volentieri|fai pure"
)
FINE = re.compile(rf"(?:{_WORD_OF_CONSENT})(?:[ ,.!–-]{{1,3}}(?:{_WORD_OF_CONSENT})){{0,3}}[ .!]*", re.IGNORECASE)
_START = re.compile(  # agrees to begin the game that we offer
    rf"{_LED_IN}(?:(?:yes|ja|oui|s[iì]|{_THANKS})[ ,.!–-]{{1,3}}){{0,2}}(?:(?:please )?(?:start|begin)(?: it| the game)?|let['’]s (?:start|begin)"
    r"|(?:fang(?:t)?|fangen wir) an|leg(?:t)? los|los(?: geht['’]?s)?|starte(?:n)?|commence[zs]?|commençons|c['’]est parti|on y va|allez-y"
    rf"|inizia(?:mo)?|cominciamo|comincia|si parte|via)(?:[ ,.!–-]{{1,3}}(?:{_THANKS})){{0,2}}[ .!]*",
    re.IGNORECASE,
)
_CONSENT_ONCE = re.compile(
    rf"(?:yes|ja|oui|s[iì]|{_WORD_OF_CONSENT})[ ,.!–-]{{1,3}}(?:but |aber |mais |ma )?(?:(?:only|just) (?:this once|once|this (?:one )?time)"
    r"|(?:nur |ausnahmsweise )+(?:dieses (?:eine )?mal|diesmal|einmal)|ausnahmsweise|(?:seulement |juste )?(?:pour )?cette fois(?:-ci)?(?: seulement)?"
    r"|(?:solo |soltanto )?(?:per )?questa volta)[ .!]*",
    re.IGNORECASE,
)
_REQUESTS_UNDO = re.compile(
    rf"(?:(?:{_LEADING}|oops|ups|hoppla|mist|damn|oups|zut|ops)[ ,.!–-]{{1,3}}){{0,2}}(?:"
    r"(?:can|could|may) i (?:please (?:{0})|(?:{0}),? please)"
    r"|i(?:['’]d| would) (?:like|love) to (?:{0})(?:,? please)?|(?:please (?:{0})|(?:{0}),? please)"
    r"|(?:kann|könnte|darf|dürfte) ich (?=.{0,60}\bbitte\b)(?:bitte )?{1}(?:,? bitte)?|ich (?:möchte|würde) (?:bitte |gern |gerne )?{1}(?: bitte)?"
    r"|(?:puis-je|est-ce que je peux|je peux|pourrais-je) {2},? (?:s['’]il (?:te|vous) pla[iî]t|stp|svp)|(?:je voudrais|j['’]aimerais) {2}(?:,? (?:s['’]il (?:te|vous) pla[iî]t|stp|svp))?"
    r"|(?:posso|potrei) {3},? per (?:favore|piacere)|vorrei {3}(?:,? per (?:favore|piacere))?"
    r")[ .!?]*".replace(
        "{0}",
        r"take (?:that|this|it|(?:my|the|that) (?:last )?(?:move|turn)) back|take back (?:that|this|it|(?:my|the|that) (?:last )?(?:move|turn))|undo(?: (?:that|this|it|(?:my|the|that) (?:last )?(?:move|turn)))?",
    )
    .replace(
        "{1}",
        r"(?:das|(?:den|meinen|diesen) (?:letzten )?zug)(?: bitte)?(?: wieder| noch)? (?:zurücknehmen|rückgängig machen)",
    )
    .replace("{2}", r"(?:annuler|reprendre) (?:ça|cela|(?:mon|ce|le) (?:dernier )?coup)")
    .replace(
        "{3}",
        r"(?:(?:annullare|ritirare|riprendere) (?:la mia |la |questa |l['’])?(?:ultima )?mossa|(?:annullarla|ritirarla|riprenderla))",
    ),
    re.IGNORECASE,
)
_WORD_OF_REFUSAL = (
    "not now|not today|not yet|rather not|i['’]d rather not|i would rather not|i disagree|i don['’]t agree|no way|let['’]s not"
    "|let['’]s (?:play|go) on|jetzt nicht|nicht jetzt|(?:jetzt |lieber |bitte |noch ){1,2}nicht|nicht einverstanden|ich bin dagegen"
    "|lass uns weiterspielen|pas maintenant|plutôt pas|je préfère pas|je préfère que non|je préférerais pas"
    "|je (?:ne )?suis pas d['’]accord|continuons|non ora|adesso no|per ora no|non adesso|meglio di no|preferisco di no"
    "|preferirei di no|non sono d['’]accordo|andiamo avanti"
)
_REFUSED = re.compile(
    rf"{_LED_IN}(?:no|nein|non|{_WORD_OF_REFUSAL})(?:[ ,.!–-]{{1,3}}(?:{_WORD_OF_REFUSAL}|{_REFUSING}|{_THANKS})){{0,3}}[ .!]*",
    re.IGNORECASE,
)
_IS_NAME = re.compile(rf"\W*{NAMES}\W*")
_ASKS_ANOTHER = re.compile(  # beside an address, as in `please ask bob@example.org instead`
    r"\b(?:ask|invite|try|frage?|fragt|lade?|einladen|nimm|demande[sz]?|invite[sz]?|propose[sz]?|chiedi|chiedere|invita|invitate"
    r"|invitare|prova|instead|stattdessen|statt|an meiner stelle|à ma place|al mio posto|invece)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"(?<=[.!?;,–])\s+|\s(?=(?:but|and|aber|und|mais|et|ma|e)\s)", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_FEWEST_OF_ANOTHER = 3  # words, as in "ask Fred instead"
_MOST_OF_NAME = 3  # words below a farewell
_PARTS = re.compile(
    r"(?<=[.!?])\s+|(?<!\s),\s+(?=(?:and|und|et|e)\s)|(?<!\s),?\s+(?=(?:but|aber|mais|ma)\s)", re.IGNORECASE
)
_BUT = re.compile(r"^(?:but|and|aber|und|mais|et|ma|e)\s+", re.IGNORECASE)
_MOST_RULES = 3  # words after the command
_OF_TIME = (HOW_LONG, DUE, LEFT)
_QUESTION = re.compile(r"\?(?=\s|\W*$)")
_MOST_QUOTED = 80  # characters
_FULL_LINE = 60  # characters; mail programs may have wrapped a longer line


class _YesOrNo:
    """The notation of replies to invitations, as if an invitation were a game with the moves yes and no."""

    CAN_BE_UNDONE = True

    def __init__(self) -> None:
        self.MOVE_SCHEMA: Json = {"enum": [YES, NO]}

    def describe(self) -> Json:
        return {"notation": {"examples": [{"text": YES}, {"text": NO}]}}

    def read_move(self, text: str) -> str:
        if text.lower() not in (YES, NO):
            raise MalformedMove("yes-or-no", "Reply with yes or no.")
        return text.lower()

    def write_move(self, move: Any) -> str:
        return str(move)


_YES_OR_NO = _YesOrNo()


class Guest(NamedTuple):
    """A person who has been invited or asked to stand in, and their reply."""

    email: str  # the invited address
    player: Player | None  # None if the person has no account
    read: replies.Mail
    game: Game  # as it was when the reply was processed
    seat: Seat
    mark: int  # of the invitation or the request

    @property
    def address(self) -> str | None:
        """Return the address to which the seat is still reserved."""
        return invited_address(self.game, self.seat, self.mark)

    def stand_in(self) -> StandIn | None:
        """Return the stand-in request, or None if it has ended or the person was invited to the seat."""
        return open_stand_in_link(self.stand_in_word)[1]

    @property
    def stand_in_word(self) -> str:
        return stand_in_word(self.game.game_id, self.seat, self.mark)

    def sits(self) -> bool:
        if asked := self.stand_in():
            return asked.accepted_by is not None
        now = self._replace(game=load(self.game.game_id))
        return now.game.seats[self.seat].player_id is not None and now.address is not None


class Said(NamedTuple):
    """What our reply to an invited person says."""

    played: str = ""  # "yes" or "no", as carried out
    wrong: str = ""  # why nothing was done, a sentence
    again: bool = False  # whether they can reply once more
    asks: bool = False  # whether they have asked anything
    facts: Sequence[str] = ()  # the answers to what they have asked, a sentence each
    who: bool = False  # whether they have asked who plays
    unknown: bool = False  # whether they have asked something to which we know no answer
    written: str = ""  # their questions in that case
    rules: bool = False  # whether they have asked for the rules
    lost: bool = False  # whether the seat is no longer reserved for them


def guest_of(game: Game, seat: Seat, mark: int, read: replies.Mail) -> Guest | None:
    """Return the person who was invited or asked to stand in. Return None if the invitation was withdrawn and the email
    comes from another address."""
    email = invited_address(game, seat, mark)
    if asked := open_stand_in_link(stand_in_word(game.game_id, seat, mark))[1]:
        email = asked.email or address_of(asked.player_id)
    if email is None and read.sender and is_mark_of(read.sender, mark):
        email = read.sender
    if email is None:
        return None
    player = db.session.scalars(db.select(Player).where(Player.email == email)).one_or_none()
    return Guest(email, player, read, game, seat, mark)


def deal(mail: Incoming, game: Game, guest: Guest) -> Json | None:
    """Carry out a reply to an invitation. Return our reply, or None if none is to be sent."""
    if guest.read.automatic or (guest.player is not None and not is_welcome(guest.player)):
        return None
    asked = guest.stand_in()
    by = {"by": str(asked.asked_by), "stand_in": guest.mark} if asked else {"by": str(game.head.host)}
    said = _carried_out(guest)
    data = {
        "to": guest.email,
        "turn": mail.turn,
        "last": False,
        "answers": fit_id(guest.read.message_id),
        "locale": spoken().locale,
        "named": first_name_in(guest.read),
        **said._asdict(),
        **by,
    }
    return letter_to(mail, game, RSVP.name, data)


def letter_to(mail: Incoming, game: Game, kind: str, data: Json) -> Json:
    """Return our reply to an email about a game, for the outbox."""
    now = clock.now()
    return {
        "game_id": mail.game_id,
        "letter_id": uuid4(),
        "dedupe": f"{kind}/{mail.mail_id}/{mail.seat}/mail/",
        "kind": kind,
        "version": game.table.version,
        "seat": mail.seat,
        "player_id": None,
        "data": data,
        "made_at": now,
        "due_at": mail.arrived_at,  # before the email about the turn, which may have begun meanwhile
        "tries": 0,
    }


def _carried_out(guest: Guest) -> Said:
    read, locale = guest.read, spoken().locale
    if not read.is_from(guest.email):
        why = gettext("Your reply came from a different address than the invited one, so nothing was done.")
        return Said(wrong=why, again=True)
    if read.is_forged:
        why = gettext("We received an email from your address, but couldn't verify its sender. We didn't act on it.")
        return Said(wrong=why, again=True)
    read = _unnamed(unsigned(read, guest.player.name if guest.player else "", locale))
    plain = without_wishes_for_emails(_without_settings(read.lines))
    beside = None if read.beside is None else without_wishes_for_emails(_without_settings(read.beside))
    said, asks = (
        understood(replace(read, lines=plain, beside=beside), locale),
        any(_QUESTION.search(line) for line in read.lines),
    )
    asks = asks or plain != read.lines
    names_another = _without_another(read) != read
    if said is None and names_another and understood(_without_another(read), locale) == NO:
        said = NO
    if _says_only(_SURE, read):  # confirms an earlier no
        said = NO if guest.address is None and guest.stand_in() is None else None
    if said is None and _says_only(_FIRST_ONE, read):
        if _invitations_of(guest.email) > 1:
            why = gettext(
                'You have several invitations. Reply "yes" to the email about the game that you want to play.'
            )
            return Said(wrong=why, again=True)
        said = YES
    if said != NO and guest.address is None and guest.stand_in() is None:
        if not can_reconsider(guest.game, guest.seat, guest.email):
            return Said(wrong=_given_away(), lost=True)
        try:
            if said == YES:
                reconsider(guest.game, guest.seat, guest.email)
        except PlayError:
            return Said(wrong=_given_away(), lost=True)
    if said is None:
        if names_another:
            return Said(wrong=_about_another(guest), again=guest.address is not None)
        if wants_rules(read, locale):
            return Said(again=not guest.sits(), asks=True, rules=True)
        asks = asks or any(is_about(line, THE_GAME, HOW_TO_PLAY) for line in read.lines)
        likely = next(filter(None, map(nearest_reply, sentences_in(without_footer(read.lines)))), "")
        is_remark = likely in _LIKELY and not any(_QUESTION.search(line) for line in read.lines)
        if asks and not is_remark and not any(_IS_ANSWER.match(without_hail(line.strip())) for line in read.lines):
            return Said(again=not guest.sits(), asks=True, **_facts(read, guest.game))
        why = gettext("Your email contains no clear yes or no, so nothing was done.")
        why = f"{why} {gettext(_LIKELY[likely])}" if likely in _LIKELY and guest.address is not None else why
        if written := clean(" ".join(line for line in without_footer(read.lines) if line.strip()), _MOST_QUOTED):
            why = f"{gettext('“%(line)s”', line=written)} – {why}"
        return Said(wrong=why, again=True, asks=asks)
    try:
        _do(said, guest)
    except SeatTaken:
        return Said(wrong=_given_away(), lost=True)
    except PlayError as error:
        return Said(wrong=str(error.words.said(gettext)))
    told = _facts(read, guest.game) if asks else {}
    if said == NO and names_another and guest.stand_in() is None:
        told["facts"] = [
            *told.get("facts", ()),
            gettext("Only the host can invite others. We've passed on your words."),
        ]
    wished = filter(None, map(_setting_in, _PARTS.split(" ".join(read.lines))))
    settings = [it for it in wished if it != (LANGUAGE, locale)]
    if said == YES and settings:
        lines = (gettext('To do this, reply "%(line)s".', line=line_for_setting(*it)) for it in settings)
        told["facts"] = [*told.get("facts", ()), *lines]
    return Said(played=said, asks=asks, **told)


def _without_another(mail: replies.Mail) -> replies.Mail:
    """Return an email without the clauses that name a person whom the host could ask."""

    def rest(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            " ".join(own) if len(own := [it for it in parts if not _names_another(it)]) < len(parts) else line
            for line in lines
            for parts in [_CLAUSES.split(line)]
        )

    return replace(mail, lines=rest(mail.lines), beside=None if mail.beside is None else rest(mail.beside))


def _names_another(clause: str) -> bool:
    has_address = _EMAIL.search(clause) and _ASKS_ANOTHER.search(clause)
    is_sentence = len(clause.split()) >= _FEWEST_OF_ANOTHER and not is_question(clause)
    return has_address is not None or (is_sentence and nearest_reply(clause) == "another")


def _about_another(guest: Guest) -> str:
    """Return what we say to a person who names another whom the host could ask, without a clear yes or no."""
    if guest.address is None:  # they have declined, and the host has been told
        return str(gettext("Only the host can invite others. Please write to them yourself."))
    return str(
        gettext('Only the host can invite others. If you reply "no" above this sentence, we\'ll pass on your words.')
    )


def _unnamed(mail: replies.Mail) -> replies.Mail:
    """Return an email without the sentences that only say the writer's name, unless it says nothing else."""

    def unnamed(line: str) -> str:
        parts = _PARTS.split(line)
        own = [it for it in parts if not _names_writer(it)]
        return line if own == parts else " ".join(own)

    def rest(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(unnamed, lines))

    lines = rest(mail.lines)
    if not any(map(str.strip, lines)):
        return mail
    return replace(mail, lines=lines, beside=None if mail.beside is None else rest(mail.beside))


def _names_writer(part: str) -> bool:
    return only_names(part) or (introduced_in(part) != "" and not _IS_ANSWER.match(part))


def _without_settings(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines without the parts that wish for a setting, as in `Yes, but please write to me in German`."""
    return tuple(" ".join(it for it in _PARTS.split(line) if _setting_in(it) is None) for line in lines)


def _setting_in(part: str) -> tuple[str, str] | None:
    found = None if _IS_ANSWER.match(part) else wished_setting(part)
    puts_off = found and found[0] in (DAYS_OFF, VACATION)
    return found if found and found[1] and not puts_off else None


def _invitations_of(email: str) -> int:
    """Return the number of open games to which this address is invited."""
    invited = (SeatRow.email == email) & (SeatRow.kind == "invited") & (GameRow.status == "open")
    joined = db.select(db.func.count()).select_from(SeatRow).join(GameRow, GameRow.game_id == SeatRow.game_id)
    found: int = db.session.execute(joined.where(invited)).scalar_one()
    return found


def _facts(read: replies.Mail, game: Game) -> Json:
    """Return what we answer to a guest's questions about a game that they don't know yet, as fields of `Said`."""
    asked = [it for it in sentences_in(read.lines) if is_question(it)]
    questions = asked if len(asked) > 1 else [" ".join(read.lines)]
    told, unknown = list[str](), list[str]()
    for question in questions:
        found = _facts_about(question, game)
        told += [it for it in found if it not in told]
        unknown += [] if found or is_about(question, WHO_PLAYS, THE_GAME) else [question]
    asks_who = any(is_about(it, WHO_PLAYS) for it in questions)
    is_known = told or asks_who or is_about(" ".join(read.lines), THE_GAME)
    if is_known and unknown and asked:
        quoted = spoken().listed([gettext("“%(line)s”", line=clean(it, _MOST_QUOTED)) for it in unknown])
        told.append(gettext("We can't answer %(questions)s. The host of the game may know more.", questions=quoted))
    if told and is_about(" ".join(read.lines), THE_GAME):  # an answer without facts says it anyway
        told.insert(0, game_in_short(game.head.rules, spoken().locale))
    written = "" if is_known else clean(" ".join(asked), _MOST_QUOTED)
    return {"facts": told, "who": asks_who, "unknown": not is_known, "written": written}


def _facts_about(question: str, game: Game) -> list[str]:
    locale, seats, options = spoken().locale, len(game.seats), game.head.options
    told = answers_about_desk(question, COST, MAILS, NIGHTS, APP, LATE)
    if is_about(question, STARTING):
        told.append(gettext("The game starts when all seats are taken. We'll email you when it's your turn."))
    if is_about(question, STOPPING):
        told.append(gettext(STOPPING_AT_TABLE))
    if is_about(question, HOW_LONG):
        told += terms_of(game)
    if is_about(question, A_TERM) and (it := section_about(question, game.head.rules, locale, seats, options)):
        told += [f"{it.title}:", *it.lines]
    if is_about(question, HOW_TO_PLAY):
        rules = gettext('Reply "%(rules)s" for the rules of the game.', rules=BY_NAME[RULES].word(locale))
        told += [*rules_in_short(game.head.rules, locale, seats, options), rules]
    if told or is_about(question, WHO_PLAYS, THE_GAME):
        return told
    topic = nearest_topic(question)
    if topic in _OF_TIME:
        return list(terms_of(game))
    answer = general_answer(topic, "", (game.head.rules,)) if topic in OF_NEWCOMERS else general_answer("")
    return [*answer.told, *answer.items, *([answer.heading, *answer.lines] if answer.lines else [])]


def _given_away() -> str:
    return str(gettext("Sorry, this seat is no longer reserved for you."))


def understood(mail: replies.Mail, locale: str) -> str | None:
    """Return "yes", "no", or None if the reply is unclear."""
    beside = None if mail.beside is None else _plain(mail.beside)
    reply = replies.parse(replace(mail, lines=_plain(mail.lines), beside=beside), _YES_OR_NO, locale)
    wishes = replies.understand(reply)
    said: str | None = wishes.move if wishes == Wishes(move=wishes.move) else None
    return said or (_otherwise_said(mail) if wishes.problem == "not-understood" else None)


def _otherwise_said(mail: replies.Mail) -> str | None:
    """Return "yes" or "no" if a reply consists of one line that says so in other words."""
    parts = [mail.lines, *([] if mail.beside is None else [mail.beside])]
    own = [[it for line in without_footer(part) if (it := line.strip()) and not is_courtesy(it)] for part in parts]
    own = [part[:1] if len(part) == 2 and _IS_NAME.fullmatch(part[1]) else part for part in own]
    if any(part != own[0] for part in own) or len(own[0]) != 1:
        return None
    written = without_farewell(without_hail(normalize("NFKC", own[0][0])))
    return next((word for word, said in _OTHERWISE_SAID.items() if said.fullmatch(written)), None)


def agrees(mail: replies.Mail, locale: str) -> bool:
    """Return whether a reply to a request agrees to it, and says nothing else."""
    return understood(mail, locale) == YES or _says_only(FINE, mail) or _says_only(_SURE, mail)


def with_offer(mail: replies.Mail, locale: str, offered: Sequence[str], is_all: bool = False) -> replies.Mail:
    """Return an email that only agrees to an offered line, or picks one of several, with that line in place of its own.
    `is_all`: whether a yes means all lines. Sentences with the writer's name, a wish for a setting or a question for a fact stay, below it."""
    mine, rest = _apart(mail)
    is_yes = (is_all or len(offered) == 1) and agrees_to_start(rest, locale)
    lines: Sequence[str] = offered if is_yes else lines_picked(offered, rest.lines) if len(offered) > 1 else ()
    return replace(mail, lines=(*lines, *(["", *mine] if mine else [])), beside=None) if lines else mail


def agrees_to_start(mail: replies.Mail, locale: str) -> bool:
    """Return whether a reply agrees to an offered line, which may begin a game, and says nothing else."""
    return agrees(mail, locale) or _says_only(_START, mail)


def agrees_to_several(mail: replies.Mail, locale: str) -> bool:
    """Return whether a reply agrees to what we offer, perhaps with sentences that leave it as it is."""
    return agrees_to_start(_apart(mail)[1], locale)


def _apart(mail: replies.Mail) -> tuple[list[str], replies.Mail]:
    """Return a pair: the sentences that only say the writer's name, wish for a setting or ask for a fact, and the email
    without them."""

    def rest(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(" ".join(it for it in _PARTS.split(line) if not _is_beside_yes(it)) for line in lines)

    mine = [it for line in mail.lines for it in _PARTS.split(line) if _is_beside_yes(it)]
    return mine, replace(mail, lines=rest(mail.lines), beside=None if mail.beside is None else rest(mail.beside))


def _is_beside_yes(part: str) -> bool:
    is_of_emails = is_about(part, MAILS, NIGHTS) and "?" not in part and not _IS_ANSWER.match(part)
    asks_for_fact = is_harmless_question(_BUT.sub("", part))
    return _names_writer(part) or is_of_emails or asks_for_fact or _setting_in(part) is not None


def consents(mail: replies.Mail, locale: str) -> bool:
    """Return whether a reply to a request agrees to it, perhaps only this once."""
    return agrees(mail, locale) or _says_only(_CONSENT_ONCE, mail)


def requests_undo(mail: replies.Mail) -> bool:
    """Return whether an email only requests, in the writer's own words, to take back their last move."""
    return _says_only(_REQUESTS_UNDO, mail)


def refuses(mail: replies.Mail, locale: str) -> bool:
    """Return whether a reply to a request says no to it, and asks for nothing else."""
    return understood(mail, locale) == NO or _says_only(_REFUSED, mail)


def _says_only(words: re.Pattern[str], mail: replies.Mail) -> bool:
    """Return whether these words are the only line of a reply, apart from greetings and a name below them."""
    own, has_ended = list[str](), False
    for line in filter(None, map(str.strip, without_footer(mail.lines))):
        if is_courtesy(line):
            has_ended = bool(own)
        elif not has_ended or len(line.split()) > _MOST_OF_NAME:
            own.append(line)
    return len(own) == 1 and words.fullmatch(without_smileys(normalize("NFC", own[0]))) is not None


def wants_rules(mail: replies.Mail, locale: str) -> bool:
    """Return whether a reply asks for the rules: with a command of the post desk, or in words."""
    own = [line for line in mail.lines if line.strip() and not is_courtesy(line.strip())]
    command = read_line(own[0], locale) if own else None
    if command and command.command in (RULES, HELP) and len(command.rest.split()) <= _MOST_RULES:
        return True
    text = " ".join(own)
    return is_about(text, THE_RULES)


def _plain(lines: Sequence[str]) -> tuple[str, ...]:
    """Replace each line that says yes or no, in one of the four languages, with the English word. The first line below
    a greeting may go on in friendly words, and may be wrapped."""

    def plain(line: str) -> str:
        written = normalize("NFC", line.strip())
        return next((word for word, said in _SAID.items() if said.fullmatch(written)), line)

    first = next((nr for nr, line in enumerate(lines) if line.strip() and not is_courtesy(line.strip())), len(lines))
    end = first + 1
    while end < len(lines) and lines[end].strip() and len(lines[end - 1]) >= _FULL_LINE:
        end += 1
    if word := _begun(" ".join(lines[first:end])):
        lines = [*lines[:first], word, *[""] * (end - first - 1), *lines[end:]]
    return tuple(map(plain, lines))


def _begun(line: str) -> str | None:
    """Return "yes" or "no" if a line begins with this word, in one of the four languages. The words after it must be
    friendly: they neither put it off nor contradict it."""
    written = without_hail(normalize("NFC", line.strip()))
    for word, begins in _BEGINS.items():
        if found := begins.match(written):
            rest = _HARMLESS.sub(" ", written[found.end(1) :])
            return None if _HEDGES[word].search(rest) or (word == YES and _is_put_off(rest)) else word
    return None


def _is_put_off(rest: str) -> bool:
    """Return whether a sentence contradicts the yes before it, or puts it off. Questions are welcome."""
    return any(contradiction_in([it]) for it in SENTENCE.findall(rest) if not it.rstrip().endswith("?"))


def _do(said: str, guest: Guest) -> None:
    """Accept or decline an invitation or a stand-in request, for a person who may be new (see `accept_invitation`). The
    call is idempotent. Raise SeatTaken, AlreadySeated, NotRunning, Banned."""
    word = sign(INVITATION, guest.game.game_id, guest.seat, guest.mark)
    name = next(filter(None, map(name_in, guest.read.lines)), "")
    newcomer = {"locale": spoken().locale, "name": name, "likely_name": _likely_name(guest)}
    asked = guest.stand_in()
    if asked and asked.accepted_by is None:
        if said == YES:
            accept_as_addressee(guest.stand_in_word, **newcomer)
        else:
            decline_stand_in(guest.stand_in_word)
    elif asked and said == YES:
        return
    elif said == YES:
        try:
            accept_invitation(word, **newcomer)
        except (SeatTaken, AlreadySeated):
            if not guest.sits():
                raise
    elif guest.sits():
        raise AlreadySeated("You've already taken this seat. To leave it, open the game.")
    else:
        with suppress(NotFound):  # the invitation was already declined
            decline_invitation(word, _words_of(guest.read))


def _likely_name(guest: Guest) -> str:
    """Return the name of a new player from their email or, as on the page, from their address. Strangers at a table that
    isn't private read only the first word of an address."""
    suggested = suggested_name(guest.email)
    likely = suggested if guest.game.head.private else suggested.partition(" ")[0]
    return first_name_in(guest.read) or likely


def _words_of(read: replies.Mail) -> str:
    """Return the words of a reply for the host, or "" if it says only no or contains a link. Blanks in email addresses
    keep mail programs from turning them into links."""
    said = clean_lines(
        "\n".join(line for line in without_footer(read.lines) if line.strip()), LONGEST_GREETING, MOST_LINES
    )
    rest = _EMAIL.sub(" ", said)
    if _SAID[NO].fullmatch(said) or has_link(rest) or has_link(" ".join(rest.split())):
        return ""
    return _EMAIL.sub(lambda it: without_links(it[0]).strip(), said)
