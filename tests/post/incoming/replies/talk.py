"""Words around a move, in four languages, generated from a seed.

`plain_move` acts, `wrapped_sentence` and `objection` do not, `below_an_intro` only by its first line.
"""

import textwrap
from random import Random
from typing import NamedTuple

MOVES = {
    "sternenhimmel": ("7 leo c", "5 cancer a", "D virgo d", "10 sgr b", "B Aqr e", "1 leo b"),
    "sternenglanz": ("1 lay punkt b1", "2 move a1 b2 c3", "3 remove c1", "finish", "2 lapse; finish", "1 nova c3"),
}
COMMANDS = (
    *("pause", "Pause", "resume", "resign", "say good evening", "confirm 0a1b2c3d4e"),
    "vacation 2026-12-20..2026-12-27",
)


class Words(NamedTuple):
    greetings: tuple[str, ...]
    friendly: tuple[str, ...]  # sentences that a blank line separates from the move
    endings: tuple[str, ...]
    footers: tuple[str, ...]
    against: tuple[str, ...]
    clauses: tuple[str, ...]  # beginnings of a sentence whose end would act
    rest: tuple[str, ...]  # their continuations


SAID = {
    "en": Words(
        ("", "Hi,", "Hello all,", "Hi everybody!", "Good evening,", "Dear Ben,", "Hey Ben and Cleo,", "Hi there", "Hello Ben,"),
        (
            *("What a game so far!", "Good luck to everybody.", "Sorry for the delay, it was a long week."),
            *("Thanks for waiting so patiently!", "It is snowing here :)", "That was a clever move, Ben."),
            *("I did not see that coming...", "How are you all?", "No hurry on my side."),
            "Now it gets interesting, I think",
            "We were in the mountains over the weekend, and there was no network at all.",
            "I have never been so close to losing a board!",
            *("Greetings from rainy Dublin, where everybody is asleep by now.", "See you on Friday at 8."),
            *("Have a nice weekend, all of you!", "Not my best day, but here we go."),
            *("I can't wait to see how this ends.", "Well played, Cleo.", "Happy birthday, Ben!"),
            *("This one took me an hour.", "Don't worry about the time, I am on holiday."),
            *("I am rather proud of this one", "Sorry that I made you wait.", "See you tomorrow!", "More later!"),
            "I thought about it for an hour.",
        ),
        ("", "Ada", "Cheers, Ada", "Best wishes\nAda", "Thanks!", "A.", "ada", "Have fun!", "- Ada", "Best,\nAda Byron", "Thank you, Ben!"),
        ("", "Sent from my iPhone", "Get Outlook for Android", "Sent with Proton Mail secure email.", "Sent from Yahoo Mail on Android"),
        (
            *("please do not play that yet", "Is that allowed?", "Wait, I have to think about it once more."),
            *("Don't play this one, please.", "That would be my move, but only if Ben agrees.", "Can I do that?"),
            *("No, forget it.", "I changed my mind.", "Not yet, please!", "Would that be a legal move?"),
            *("or should I wait?", "I'm not sure.", "Please ignore this line, it was a test.", "This was by mistake."),
            *("I would rather take another one.", "Please hold on until tomorrow.", "Sorry, wrong game!"),
            *("This was meant for another table.", "I am still thinking", "Tomorrow", "I'll do it later.", "nah"),
            *("Please wait.", "Let me sleep on it."),
        ),
        (
            "I have been thinking about it for two days now and would rather not take",
            "Ben told me yesterday that if he were me he would have played",
            "There is nothing left for me to do this week except perhaps, one day,",
            "What I really fear is that somebody at this table is going to say or do something like",
            "My sister looked over my shoulder and asked whether it would be wise to",
            "The worst of all the moves that I looked at for an hour last night was, of course,",
            "Two turns ago you wrote that you would never again, under any circumstances,",
            *("Hello Ben, do you think that anybody would really", "Well, to be honest, it must not be", "He said,"),
        ),
        ("is what I would have done", "and then nothing would be left.", "before Friday, as you know.", "if only I could", "for a while"),
    ),
    "de": Words(
        ("", "Hallo zusammen,", "Hi,", "Moin!", "Liebe Cleo, lieber Ben,", "Guten Abend,", "Servus", "Hallo ihr beiden,", "Ihr Lieben,"),
        (
            *("Das wird eng, fürchte ich.", "Viel Glück euch allen!", "Entschuldigt, dass es so lange gedauert hat."),
            *("Danke fürs Warten!", "Hier schneit es schon :-)", "Das war ein kluger Zug, Ben."),
            *("Damit habe ich nicht gerechnet.", "Wie geht es euch?", "Lasst euch Zeit, ich bin im Urlaub."),
            *("Jetzt wird es spannend", "Am Wochenende waren wir in den Bergen, und dort gab es kein Netz."),
            *("So knapp war es noch nie!", "Grüße aus dem verregneten Hamburg, wo schon alle schlafen"),
            *("Bis Freitag um 8.", "Ein schönes Wochenende euch allen", "Mein lieber Mann, das hat gedauert!"),
            *("Ich bin sehr gespannt, wie es ausgeht.", "Gut gespielt, Cleo.", "Alles Gute zum Geburtstag, Ben!"),
            *("Das hat mich eine Stunde gekostet.", "Macht euch keine Sorgen wegen der Zeit."),
            *("Ich warte gespannt auf eure Antwort.", "Ich will euch nicht länger warten lassen.", "Morgen mehr."),
            *("Bis später!", "Ich habe lange überlegt."),
        ),
        ("", "Ada", "Viele Grüße\nAda", "LG Ada", "Danke!", "Gruß, Ada", "ada", "Viel Spaß noch!", "– Ada", "Bis bald\nAda Müller", "Liebe Grüße aus Köln"),
        ("", "Von meinem iPhone gesendet", "Gesendet mit der GMX Mail App", "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.", "Outlook für iOS beziehen"),
        (
            *("bitte noch nicht spielen", "Ist das erlaubt?", "Moment, ich muss noch einmal nachdenken."),
            *("Spiel das bitte nicht.", "Das wäre mein Zug, aber nur wenn Ben einverstanden ist.", "Darf ich das?"),
            *("Nein, vergiss das.", "Ich habe es mir anders überlegt.", "Erst morgen, bitte!", "Geht das so?"),
            *("oder soll ich warten?", "Ich bin mir nicht sicher.", "Das war nur ein Test.", "Das war aus Versehen."),
            *("Doch lieber einen anderen.", "Sorry, falsches Spiel.", "Das war für die andere Partie gedacht."),
            *("Bitte nicht ausführen, solange Cleo nicht da ist.", "gar nichts", "Ich überlege noch.", "Später"),
            *("Vielleicht morgen", "Ich muss noch darüber schlafen"),
        ),
        (
            "Wir haben alle viel zu tun und fahren am Montag weg, darum mache ich eine",
            "Ben hat mir gestern gesagt, an meiner Stelle hätte er ohne zu zögern gespielt:",
            "Mir bleibt in dieser Woche nichts anderes übrig als vielleicht irgendwann",
            "Am meisten fürchte ich, dass jemand an diesem Tisch einmal etwas spielt wie",
            "Meine Schwester hat mir über die Schulter geschaut und wollte auf keinen Fall",
            "Der schlechteste von allen Zügen, die ich mir angesehen habe, war natürlich",
            "Vor zwei Runden hast du geschrieben, du würdest nie wieder",
            *("Hallo Ben, meinst du wirklich, man sollte da", "Also ehrlich gesagt, bloß nicht", "Er meinte,"),
        ),
        ("wäre es gewesen", "und dann bliebe nichts mehr übrig.", "vor Freitag, wie ihr wisst.", "machen wir nicht", "bis auf weiteres"),
    ),
    "fr": Words(
        ("", "Bonjour,", "Salut tout le monde !", "Bonsoir à tous,", "Cher Ben,", "Coucou", "Bonjour Ben et Cleo,", "Salut,"),
        (
            *("Quelle partie !", "Bonne chance à tous.", "Désolée pour le retard, la semaine a été longue."),
            *("Merci pour votre patience !", "Il neige ici :)", "C'était un coup malin, Ben."),
            *("Je ne m'y attendais pas.", "Comment allez-vous ?", "Prenez votre temps, je suis en vacances."),
            *("Maintenant cela devient intéressant", "Nous étions à la montagne ce week-end, sans réseau."),
            "Je n'ai jamais été aussi près de perdre un plateau !",
            *("Un grand bonjour de Lyon, où tout le monde dort déjà.", "À vendredi, vers 8 heures."),
            *("Bon week-end à vous tous", "Bien joué, Cleo.", "Joyeux anniversaire, Ben !", "J'y ai passé une heure."),
            *("Ne vous inquiétez pas pour le temps.", "J'ai hâte de voir la suite.", "Pas mal du tout, cette partie."),
            *("C'est plutôt serré, je trouve", "À demain !", "On se voit demain.", "J'y ai réfléchi une heure."),
        ),
        ("", "Ada", "À bientôt\nAda", "Amitiés, Ada", "Merci !", "Bises", "ada", "Bonne soirée", "- Ada", "Cordialement,\nAda Lefèvre", "Merci beaucoup, Ben !"),
        ("", "Envoyé de mon iPhone", "Envoyé depuis mon appareil Galaxy", "Télécharger Outlook pour iOS", "Envoyé avec Proton Mail"),
        (
            *("ne jouez pas encore ce coup, s'il vous plaît", "Est-ce permis ?", "Attendez, je dois encore réfléchir."),
            *("Ne joue pas ça.", "Ce serait mon coup, mais seulement si Ben est d'accord.", "Je peux faire ça ?"),
            *("Non, oubliez ça.", "J'ai changé d'avis.", "Pas encore, s'il vous plaît !", "C'est bon comme ça ?"),
            *("ou faut-il attendre ?", "Je ne suis pas sûre.", "Ce n'était qu'un essai, juste pour rire."),
            *("C'était par erreur.", "Je préfère un autre coup.", "À ne pas jouer avant demain."),
            *("Pardon, mauvaise partie.", "C'était pour l'autre table.", "Je réfléchis encore", "J'hésite."),
            *("Plus tard", "Je jouerai demain.", "bof"),
        ),
        (
            "J'y ai réfléchi pendant deux jours et je n'aimerais vraiment pas prendre",
            "Ben m'a dit hier qu'à ma place il aurait joué sans hésiter",
            "Il ne me reste plus rien à faire cette semaine sinon, peut-être un jour,",
            "Ce que je crains le plus, c'est que quelqu'un à cette table finisse par jouer",
            "Ma sœur a regardé par-dessus mon épaule et ne voulait surtout pas",
            "Le pire de tous les coups que j'ai regardés hier soir était bien sûr",
            *("Avec tout ce travail nous ferons bientôt une", "Bonjour Ben, crois-tu vraiment qu'il faut"),
            *("Alors, franchement, jamais", "Il a dit,"),
        ),
        ("est ce que j'aurais fait", "et il ne resterait plus rien.", "avant vendredi, comme vous savez.", "si seulement", "pour un moment"),
    ),
    "it": Words(
        ("", "Ciao,", "Ciao a tutti!", "Buonasera,", "Caro Ben,", "Salve", "Buongiorno a tutti,", "Cara Cleo, caro Ben,"),
        (
            *("Che partita!", "Buona fortuna a tutti.", "Scusate il ritardo, è stata una settimana lunga."),
            *("Grazie per la pazienza!", "Qui nevica :)", "Bella mossa, Ben.", "Non me l'aspettavo.", "Come state?"),
            *("Fate con calma, sono in vacanza.", "Adesso diventa interessante"),
            "Nel fine settimana eravamo in montagna, senza rete.",
            *("Non sono mai stata così vicina a perdere una plancia!", "Saluti da Roma, dove dormono già tutti."),
            *("A venerdì, verso le 8.", "Buon fine settimana a tutti voi", "Ben giocato, Cleo."),
            *("Buon compleanno, Ben!", "Ci ho messo un'ora.", "Non preoccupatevi per il tempo."),
            *("Non vedo l'ora di sapere come finisce.", "Niente male, questa partita.", "Sono piuttosto contenta"),
            *("A domani!", "Ci vediamo domani.", "Ci ho pensato per un'ora."),
        ),
        ("", "Ada", "A presto\nAda", "Saluti, Ada", "Grazie!", "Ciao", "ada", "Buona serata", "- Ada", "Cari saluti,\nAda Niccolò", "Grazie mille, Ben!"),
        ("", "Inviato da iPhone", "Inviato dal mio dispositivo Galaxy", "Scarica Outlook per iOS", "Inviato con Proton Mail"),
        (
            *("per favore non giocate ancora questa mossa", "È permesso?", "Aspettate, devo pensarci ancora."),
            *("Non giocare questo.", "Sarebbe la mia mossa, ma solo se Ben è d'accordo.", "Posso farlo?"),
            *("No, lascia stare.", "Ho cambiato idea.", "Non ancora, per favore!", "Va bene così?"),
            *("o devo aspettare?", "Non sono sicura.", "Era solo una prova.", "È stato per errore."),
            *("Preferirei un'altra.", "Da non giocare prima di domani.", "Scusate, partita sbagliata."),
            *("Era per un'altra partita.", "Ci penso ancora", "Ci sto pensando.", "Più tardi", "Gioco domani.", "mah"),
        ),
        (
            "Ci ho pensato per due giorni e davvero preferirei non prendere",
            "Ben mi ha detto ieri che al mio posto avrebbe giocato senza esitare",
            "Questa settimana non mi resta altro da fare se non, forse un giorno,",
            "Quello che temo di più è che qualcuno a questo tavolo finisca per giocare",
            "Mia sorella ha guardato sopra la mia spalla e non voleva assolutamente",
            "La peggiore di tutte le mosse che ho guardato ieri sera era naturalmente",
            *("Con tutto questo lavoro faremo presto una", "Ciao Ben, credi davvero che si debba"),
            *("Insomma, sinceramente, mai", "Ha detto,"),
        ),
        ("è quello che avrei fatto", "e poi non resterebbe nulla.", "prima di venerdì, come sapete.", "se solo potessi", "per un po'"),
    ),
}  # fmt: skip


INTROS = (  # what programs write above a quote, in languages of all kinds; none of them marks what is below
    *("Dne so 21. 11. 2026 10:00 u\u017eivatel Ada <ada@example.org> napsal:", "Ada napsala:"),
    *("la 21. marrask. 2026 klo 10.00 Ada (ada@example.org) kirjoitti:", "Ada kirjoitti"),
    "\u03a3\u03c4\u03b9\u03c2 \u03a3\u03ac\u03b2 21 \u039d\u03bf\u03b5 2026, \u03bf \u03c7\u03c1\u03ae\u03c3\u03c4\u03b7\u03c2 Ada \u03ad\u03b3\u03c1\u03b1\u03c8\u03b5:",
    *("\u00cen s\u00e2m., 21 nov. 2026 la 10:00, Ada a scris:", "Ada \u015funu yazd\u0131:"),
    "Ada ezt \u00edrta (id\u0151pont: 2026. nov. 21., Szo, 10:00):",
    "\u0643\u062a\u0628 Ada \u0641\u064a \u0662\u0661 \u0646\u0648\u0641\u0645\u0628\u0631:",
    "2026\u5e7411\u670821\u65e5(\u571f) 10:00 Ada <ada@example.org>:",
    "Ada \u3055\u3093\u306f\u66f8\u304d\u307e\u3057\u305f\uff1a",
    "\u4e8e2026\u5e7411\u670821\u65e5 Ada \u5199\u9053\uff1a",
    "2026\ub144 11\uc6d4 21\uc77c (\ud1a0) Ada \ub2d8\uc774 \uc791\uc131:",
    "\u05d1\u05ea\u05d0\u05e8\u05d9\u05da 21 \u05d1\u05e0\u05d5\u05d1 2026 Ada \u05db\u05ea\u05d1:\u200f",
    "sob., 21 lis 2026 o 10:00 Ada napisa\u0142(a):",
    "\u0441\u0431, 21 \u043d\u043e\u044f\u0431. 2026 \u0433. \u0432 10:00, Ada <ada@example.org>:",
    "\u0441\u0431, 21 \u043b\u0438\u0441\u0442. 2026 \u0440. Ada \u043f\u0438\u0448\u0435:",
    *("Den l\u00f6r 21 nov. 2026 skrev Ada:", "l\u00f8r. 21. nov. 2026 skrev Ada"),
    *("Em s\u00e1b., 21 de nov. de 2026, Ada escreveu:", "El s\u00e1b, 21 nov 2026, Ada escribi\u00f3:"),
    *("Op za 21 nov 2026 schreef Ada:", "V\u00e0o Th 7, 21 thg 11, 2026 Ada \u0111\u00e3 vi\u1ebft:", "De : Ada"),
    *("De\u00a0: Ada Byron <ada@example.org>", "From:\nAda Byron", "From:\n Ada <ada@example.org>\nTo:\n Sternenpost"),
    *("*Original Message*", "Original Message", "Alkuper\u00e4inen viesti", "P\u016fvodn\u00ed zpr\u00e1va"),
    *("\u5143\u306e\u30e1\u30c3\u30bb\u30fc\u30b8", "L\u00e4hett\u00e4j\u00e4: Ada"),
    "F\u00e5 Outlook f\u00f6r iOS\n________________________________\nFr\u00e5n: Ada",
    *("---------- V\u00e4litetty viesti ---------", "Ada wrote, a while ago", "\u2500\u2500\u2500\u2500\u2500\u2500"),
)


def below_an_intro(dice: Random, game: str) -> tuple[str, str, str]:
    """Return a move, an older mail, and one that quotes it unmarked below the new move."""
    move, said = a_move(dice, game), SAID[dice.choice(list(SAID))]
    old = dice.choice([it for it in (*MOVES[game], *COMMANDS) if it != move])
    gap, intro = dice.choice(["\n", "\n\n"]), dice.choice(INTROS)
    greeting, ending, friendly = dice.choice(said.greetings), dice.choice(said.endings), dice.choice(said.friendly)
    first = f"{greeting}\n\n{old}" + (f"\n\n{ending}" if dice.random() < 0.5 else "")
    above = dice.choice([move, f"{greeting}\n\n{move}", f"{move}\n\n{dice.choice(said.endings)}"]).strip()
    body = dice.choice([first, first.strip(), f"{friendly}\n\n{first.strip()}"])
    return move, first, f"{above}\n\n{intro}{gap}{body}"


def a_move(dice: Random, game: str) -> str:
    return dice.choice(MOVES[game])


def plain_move(dice: Random, game: str) -> tuple[str, str]:
    said, move = SAID[dice.choice(list(SAID))], a_move(dice, game)
    greeting, friendly = dice.choice(said.greetings), dice.choice(said.friendly) if dice.random() < 0.4 else ""
    above = greeting + (dice.choice(["\n", "\n\n"]) if greeting else "")
    below = ""
    if friendly and dice.random() < 0.5:
        above += ("\n" if greeting and not above.endswith("\n\n") and dice.random() < 0.5 else "") + friendly + "\n\n"
    elif friendly:
        below = f"\n\n{friendly}"
    ending, footer = dice.choice(said.endings), dice.choice(said.footers) if dice.random() < 0.3 else ""
    if ending:
        below += dice.choice(["\n", "\n\n"] if not below else ["\n\n"]) + ending
    return move, above + move + below + (f"\n\n{footer}" if footer else "")


def wrapped_sentence(dice: Random, game: str) -> str:
    """Return a sentence broken right before words that would act. Some continue or begin with those words."""
    said = SAID[dice.choice(list(SAID))]
    acts = dice.choice([*MOVES[game], *COMMANDS])
    clause, rest, width = dice.choice(said.clauses), dice.choice(said.rest), dice.randint(24, 78)
    kind = dice.random()
    before = "" if kind < 0.1 else "\n".join(textwrap.wrap(clause, width)) + "\n"
    after = "" if kind > 0.4 else "\n" + "\n".join(textwrap.wrap(rest, width))
    above = dice.choice(["", dice.choice(said.greetings) + "\n\n", dice.choice(said.friendly) + "\n\n"])
    below = dice.choice(["", "\n\n" + dice.choice(said.endings)])
    return f"{above.lstrip()}{before}{acts}{after}{below}"


def objection(dice: Random, game: str) -> str:
    said, move = SAID[dice.choice(list(SAID))], a_move(dice, game)
    against = dice.choice(said.against)
    words = f"{against}\n\n{move}" if dice.random() < 0.4 else f"{move}\n\n{against}"
    return f"{dice.choice(said.greetings)}\n\n{words}\n\n{dice.choice(said.endings)}".strip()
