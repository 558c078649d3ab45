"""Questions about the game in replies, in four languages: each gets an answer, and no table of eighty lines."""

import re
from uuid import UUID

import pytest
from flask_babel import force_locale

from server.accounts.players import change_profile
from server.games import GAMES
from server.games.presentation import in_words, legend
from server.play.commits import load
from server.play.seating.seats import leave, take_over
from server.play.votes import OFFER, vote
from server.post import topics
from server.post.desk.counter import deal_with_desk
from server.post.desk.rule_texts import section_about
from server.post.incoming.answering import JOINING, deal_with_mails
from server.post.incoming.commands import CONFIRM, PLAN, UNDO, word_for
from server.post.incoming.questions import newest_refusal
from server.post.topics import ADVICE, MEANING, SCORES, TURN, is_about
from server.store.tables import Incoming, db
from server.translations import LOCALES
from server.worker import RECORDS
from tests.post.incoming.replying import a_move, ada_writes, messages
from tests.post.office import Office, a_mail, arrives
from tests.support.games import everything_due_happens, game_of, later, moves_on

ASKED = {
    TURN: [
        *("Whose turn is it?", "Is it my turn?", "who's next?", "Who are we waiting for?", "Hi, who is to move now?"),
        *("Wer ist dran?", "wer ist am Zug?", "Bin ich jetzt an der Reihe?", "Auf wen warten wir?"),
        *("À qui le tour ?", "C’est mon tour ?", "à qui de jouer ?", "A chi tocca?", "È il mio turno?"),
    ],
    SCORES: [
        *("How many points do I have?", "what's the score?", "Who is winning?"),
        *("Wie viele Punkte habe ich?", "wie steht's?", "Wer führt?"),
        *("Combien de points ai-je ?", "Qui gagne ?", "Quanti punti ho?", "Chi vince?"),
    ],
    UNDO: [
        *("can I take that back?", "Can I undo?", "kann ich das zurücknehmen?", "Lässt sich das rückgängig machen?"),
        *("Puis-je annuler mon coup ?", "Posso ritirare la mossa?"),
    ],
    ADVICE: [
        *("what is my best move?", "What should I do first?", "can I get a hint?", "was ist mein bester zug?"),
        *("Was soll ich tun?", "Quel est le meilleur coup ?", "que dois-je faire ?", "Qual è la mossa migliore?"),
    ],
    MEANING: [
        *("what does the D mean?", "What is a black hole?", "what does #10 mean?", "was bedeutet das D?"),
        *("Was ist ein Doppelstern?", "Was macht ein Schwarzes Loch?", "que signifie B ?", "Cosa significa il D?"),
    ],
}
IN_FIRST_TURNS = {
    TURN: "Who goes first?|Who starts?|Wer fängt an?|Wer beginnt?|Qui commence ?|Chi inizia?",
    topics.WRITING: (
        "How do I write a move?|How do I place a star?|How do I move a star?|How do I make a move?|Wie schreibe ich einen Zug?"
        "|Wie lege ich einen Stern?|Wie bewege ich einen Stern?|Wie mache ich einen Zug?|Comment écrire un coup ?"
        "|Comment placer une étoile ?|Comment je joue un coup ?|Comment déplacer une étoile ?|Come scrivo una mossa?"
        "|Come metto una stella?|Come faccio una mossa?|Come sposto una stella?"
    ),
    topics.MOVES: (
        "What moves are possible?|What are my options?|Where can I put my stars?|Welche Züge sind möglich?|Wohin kann ich meine Sterne legen?"
        "|Quels coups sont possibles ?|Où puis-je poser mes étoiles ?|Quali mosse sono possibili?|Dove posso mettere le mie stelle?"
    ),
    topics.SEEING: (
        "Which stars do I have?|What cards do I have?|What's in my hand?|Can I see the board?|Can you send me the table again?"
        "|Welche Sterne habe ich?|Was habe ich auf der Hand?|Kann ich das Brett sehen?|Schickst du mir bitte nochmal den Tisch?"
        "|Quelles cartes ai-je ?|Qu'est-ce que j'ai en main ?|Je peux voir le plateau ?|Quali carte ho?|Cosa ho in mano?|Posso vedere il tavolo?"
    ),
    topics.HISTORY: (
        "What did Bea play?|What did the others do?|What happened since my last move?|Was hat Bea gespielt?|Was haben die anderen gemacht?"
        "|Was ist seit meinem letzten Zug passiert?|Qu'est-ce que Bea a joué ?|Qu'ont fait les autres ?|Cosa ha giocato Bea?|Cosa è successo?"
    ),
    topics.WHO_PLAYS: (
        "Who am I playing against?|Who are the other players?|Are the others bots?|Gegen wen spiele ich?|Wer spielt noch mit?"
        "|Sind die anderen Bots?|Contre qui je joue ?|Les autres sont des bots ?|Contro chi gioco?|Chi gioca con me?|Gli altri sono bot?"
    ),
    topics.TALKING: (
        "Can I talk to the others?|How do I write to the other players?|Kann ich den anderen schreiben?|Wie schreibe ich den Mitspielern?"
        "|Comment écrire aux autres ?|Come scrivo agli altri?"
    ),
    topics.PASSING: (
        "Can I pass?|Can I skip my turn?|Do I have to move?|Kann ich passen?|Darf ich aussetzen?|Muss ich ziehen?|Puis-je passer ?"
        "|Dois-je jouer ?|Posso passare?|Devo giocare?"
    ),
    PLAN: "Can I plan my next move?|Can I plan ahead?|Kann ich meinen nächsten Zug planen?|Puis-je planifier mon coup ?|Posso pianificare?",
    UNDO: "Can I change my move?|Kann ich meinen Zug ändern?|Puis-je changer mon coup ?|Posso cambiare la mia mossa?",
    topics.HOW_TO_PLAY: "What's the goal?|What is the goal of the game?|Was ist das Ziel?|Quel est le but du jeu ?|Qual è lo scopo del gioco?",
    topics.SCORING: "How do I win?|What are coins for?|Wie gewinne ich?|Wofür sind die Münzen?|Comment gagner ?|Come si vince?",
    topics.ENDING: "When does it end?|How many turns are left?|Wann ist es zu Ende?|Wie viele Züge noch?|Quand est-ce que ça finit ?|Quando finisce?",
    MEANING: "What do the letters mean?|Was bedeuten die Buchstaben?|Que signifient les lettres ?|Cosa significano le lettere?",
}
MISTAKEN = {  # questions that only seem to be about a topic
    SCORES: "What are coins for?|Wofür sind die Münzen?|À quoi servent les pièces ?",
    TURN: "Qui joue avec moi ?|Chi gioca con me?",
    topics.SECRETS: "Kann ich meinen nächsten Zug planen?|Kann ich meinen Zug ändern?|Wohin kann ich meine Sterne legen?",
    topics.PASSING: "What should I play?|How many cards can I play?|Que dois-je jouer ?|Cosa devo giocare?",
}
NOT_ASKED = [
    *("How are you?", "Did you see the match?", "Shall we meet on Sunday?", "Wie geht es dir?", "Was machst du heute?"),
    *("Comment vas-tu ?", "Come stai?", "Is the D on Leo or on Aries yours?", "7 leo c?"),
]
NOT_SENT = "The others didn't get the rest of your email."


@pytest.mark.parametrize("topic", ASKED)
def test_questions_are_recognized_by_their_topic(topic: str) -> None:
    for question in ASKED[topic]:
        found = {it for it in ASKED if is_about(question, it)}
        assert found == {topic}, question


@pytest.mark.parametrize("topic", IN_FIRST_TURNS)
def test_questions_of_the_first_turns_are_recognized(topic: str) -> None:
    assert [it for it in IN_FIRST_TURNS[topic].split("|") if not is_about(it, topic)] == []
    assert [it for it in MISTAKEN.get(topic, "").split("|") if is_about(it, topic)] == []


@pytest.mark.parametrize(
    ("game", "question", "told"),
    [
        ("sternenhimmel", "Who goes first?", ["We're waiting for your move."]),
        ("sternenhimmel", "whose turn is it", ["We're waiting for your move."]),
        (
            "sternenhimmel",
            "How do I write a move?",
            ["Write the star, the constellation and the space", "? (sends you"],
        ),
        ("sternenglanz", "How do I lay a star?", ["How to write a move: ", "Commands, each on its own line"]),
        ("sternenhimmel", "What moves are possible?", ["Your possible moves.", "The table now:"]),
        ("sternenhimmel", "Which stars do I have?", ["The table now:", "Your hand: 1 3 5"]),
        ("sternenglanz", "What cards do I have?", ["The table now:"]),
        ("sternenhimmel", "What did bea play?", ['Reply "history" for all moves']),
        ("sternenhimmel", "Who am I playing against?", ["You're playing with bea and the bot Greedy."]),
        (
            "sternenhimmel",
            "How do I write to the others?",
            ['To write to everyone at the table, begin the line with "say".'],
        ),
        ("sternenhimmel", "Can I pass?", ["You can't pass now.", '"resign"']),
        ("sternenhimmel", "I'd like to see the table", ["The table now:"]),
        ("sternenhimmel", "Please take the 7 and put it on leo a. Can I be late?", ["No move was played.", "runs out"]),
        (
            "sternenglanz",
            "Is that allowed? move the star to b2",
            [
                "“move the star to b2” – No move was played. First, choose two of your cards: one for slot 2, one for slot 3."
            ],
        ),
        ("sternenhimmel", "Can I plan my next move?", ['reply for example "plan ']),
        ("sternenhimmel", "What's the goal?", ["The player with the most coins at the end wins"]),
        ("sternenhimmel", "What happens when a constellation is full?", ["black hole"]),
    ],
)
def test_a_question_of_the_first_turns_is_answered(
    office: Office, ada: UUID, bea: UUID, game: str, question: str, told: list[str]
) -> None:
    game_of(ada, bea, bots=1, rules=game, options={"start_seat": 0} if game == "sternenhimmel" else {})
    everything_due_happens()
    answer = ada_writes(office, question).text
    assert [it for it in told if it not in " ".join(answer.split()) and it not in answer] == [], answer
    assert "We can't answer" not in answer and "We haven't refused" not in answer


@pytest.mark.parametrize(
    ("locale", "line", "command"),
    [
        ("en", "paus", "pause"),
        ("en", "undoo", "undo"),
        ("en", "resi", "resign"),
        ("de", "aufg", "aufgeben"),
        ("fr", "abandoner", "abandonner"),
    ],
)
def test_the_beginning_of_a_command_is_answered_by_the_command(
    office: Office, ada: UUID, bea: UUID, locale: str, line: str, command: str
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    change_profile(ada, {"locale": locale})
    everything_due_happens()
    assert re.search(rf"[\"„«]\W?{command}\W?[\"“»]", asks(office, line))
    assert load(game_id).version == 1


def test_small_talk_is_not_taken_for_a_question_about_the_game() -> None:
    assert [it for it in NOT_ASKED if is_about(it, *ASKED)] == []


def asks(office: Office, question: str) -> str:
    return " ".join(ada_writes(office, question).text.split())


def test_questions_are_answered_without_the_table_and_without_commands(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    for question, answer in {
        "Whose turn is it?": "We're waiting for your move.",
        "How many coins do I have?": "The scores so far: you (0), bea (0), Greedy (0).",
        "can I take that back?": 'To take back your last move, reply "undo".',
        "what is my best move?": "We give hints only if all other players are bots.",
        "what does the D mean?": "D is a double star, which multiplies the value of its neighbours.",
        "How long does a game take?": "about 30 turns",
        "How do I score?": 'Reply "rules" for the rules of the game.',
        "How do I play this?": "On your turn, you put one star from your hand on an empty space",
    }.items():
        told = asks(office, question)
        assert question in told and answer in told
        assert ("Commands, each on its own line" in told) == any(
            it in question for it in ("best move", "How do I play")
        )
        assert "The table now" not in told
    assert load(game_id).version == 1
    moves_on(game_id, ada)
    everything_due_happens()
    assert "It isn't your turn. We're waiting for bea." in asks(office, "wer ist dran?")
    assert "It isn't your turn. We're waiting for bea." in asks(office, "Did you see the match?")


def test_a_question_for_the_best_move_gets_a_hint(office: Office, ada: UUID) -> None:
    game_id = game_of(ada, bots=2, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, "What is my best move?")
    assert "A bot would play one of these moves." in told
    assert f"your move was played: {(move := a_move(game_id, ada))}" in asks(office, move)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_game_says_what_its_letters_and_numbers_mean(locale: str) -> None:
    assert all(len(legend(game, locale)) > 20 for game in ("sternenhimmel", "sternenglanz"))


@pytest.mark.parametrize(
    "question", ["Why are there numbers like #7?", "Wofür sind die Nummern?", "A cosa servono i numeri?"]
)
def test_a_question_about_numbers_is_answered_by_the_legend(
    office: Office, ada: UUID, bea: UUID, question: str
) -> None:
    game_of(ada, bea, rules="sternenglanz")
    everything_due_happens()
    assert " ".join(legend("sternenglanz", "en").split()) in asks(office, question)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("please pause the game, I'm away until friday", ["  pause (", "  vacation 2"]),
        (
            "I want to play with tom@example.org too",
            ["  new sternenglanz tom@example.org: ", "  new sternenhimmel tom"],
        ),
        ("I think I want to quit", ["  resign ("]),
        ("Ich bin ab Montag im Urlaub.", ["  vacation 2"]),
        ("Ich bin ab morgen für eine Woche weg", ["  vacation 2"]),
        ("I'd like to pause", ["  pause ("]),
    ],
)
def test_a_sentence_about_a_command_is_answered_by_its_line(
    office: Office, ada: UUID, words: str, told: list[str]
) -> None:
    game_of(ada, bots=2)
    answer = ada_writes(office, words).text
    assert f"To do this, reply with {'the line below' if len(told) == 1 else 'one of the lines below'}." in answer
    assert all(line in answer for line in told)
    assert "The table" not in answer


@pytest.mark.parametrize(
    ("locale", "words", "days"),
    [
        ("de", "Ich bin vom 10. bis 14. Dezember im Urlaub.", r"\d{4}-12-10\.\.\d{4}-12-14"),
        ("en", "I'm on vacation from Dec 10 to Dec 14", r"\d{4}-12-10\.\.\d{4}-12-14"),
        ("en", "Sorry, I'm away for two weeks!", r"\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d"),
        ("fr", "Je suis en vacances du 3 au 10 janvier !", r"\d{4}-01-03\.\.\d{4}-01-10"),
        ("it", "Sono in vacanza dal 3 al 10 gennaio", r"\d{4}-01-03\.\.\d{4}-01-10"),
        ("en", "So I'm away, sadly", r"2027-07-01\.\.2027-07-14"),
    ],
)
def test_a_vacation_in_a_sentence_is_offered_for_its_days(
    office: Office, ada: UUID, locale: str, words: str, days: str
) -> None:
    game_of(ada, bots=2)
    change_profile(ada, {"locale": locale})
    line = re.search(rf"^  (\w+ {days}) \(", ada_writes(office, words).text, re.MULTILINE)
    assert line
    assert f"  {word_for(CONFIRM, locale)} " in ada_writes(office, line[1]).text


@pytest.mark.parametrize("yes", ["yes", "ok", "Yes please", "Ja, bitte!", "Oui, merci", "Sì, grazie", "Sure"])
def test_a_yes_does_what_our_answer_offers(office: Office, ada: UUID, yes: str) -> None:
    game_id = game_of(ada, bots=2, options={"start_seat": 0})
    move = a_move(game_id, ada)
    asks(office, move)
    everything_due_happens()
    assert 'reply "undo"' in asks(office, "can I take that back?")
    assert move in asks(office, yes) and a_move(game_id, ada) == move
    assert 'reply "rules"' in asks(office, "How do I score?").replace("Reply", "reply")
    arrives(office.mails("ada")[-1].reply_to, a_mail(yes))
    deal_with_mails()
    deal_with_desk(RECORDS)
    assert office.subjects("ada")[-1].startswith("The rules: ")
    asks(office, "pause")
    assert 'reply "resume"' in asks(office, move)
    asks(office, yes)
    assert load(game_id).table.status == "running"


def test_a_yes_to_several_lines_or_to_a_resignation_does_nothing(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    before = load(game_id).version
    for question in ("I think I want to quit", "Can I take a break, or pause?", "Can I undo? And how do I score?"):
        asks(office, question)
        assert "There's nothing to agree to or to confirm at the moment." in asks(office, "yes"), question
    assert load(game_id).version == before


def test_each_question_of_a_reply_is_answered(office: Office, ada: UUID, bea: UUID) -> None:
    game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    for text, answers in {
        "Whose turn is it?\nHow many coins do I have?": ["We're waiting for your move.", "The scores so far"],
        "Nice game so far.\nWhose turn\nis it?": ["We're waiting for your move."],
        "send me fewer mails\nno mails at night": ['reply "set mails bundled"', 'reply for example "set nights'],
        "Whose turn is it?\nHow much does it cost?": ["We're waiting for your move.", "This server takes no payments."],
        "It was fun.\nIch heiße Timo": ["name Timo"],
        "Whose turn is it?\n\nSent with my phone": ["Whose turn is it? We're waiting"],
        "What does compensation mean? Who's winning?": ["What is paid:", "The scores so far"],
        "Can a bot take the free seat?": ["All seats of this game are taken."],
    }.items():
        told = asks(office, text)
        assert [it for it in answers if it not in told] == [], told


def test_a_question_about_the_desk_lets_a_setting_pass(office: Office, ada: UUID, bea: UUID) -> None:
    game_of(ada, bea, bots=1)
    everything_due_happens()
    before = office.mails("ada")
    arrives(before[-1].reply_to, a_mail("how much does it cost?\nset zone Berlin"))
    deal_with_mails()
    deal_with_desk(RECORDS)
    (answer,) = office.mails("ada")[len(before) :]
    told = " ".join(answer.text.split())
    assert "This server takes no payments." in told and "Your time zone is now Europe/Berlin." in told


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("set nights 22-7 and 2 mails a day", ["22:00-07:00", "8:00", "20:00"]),
        (
            "Please send me one mail a week",
            ["We can't bundle emails for longer than a day.", 'reply "set mails bundled"'],
        ),
        ("I'm on vacation from Dec 10 to Dec 14. How many points do I have?", ["The scores so far", "-12-10.."]),
    ],
)
def test_each_wish_of_a_reply_is_carried_out_or_named(
    office: Office, ada: UUID, bea: UUID, text: str, answers: list[str]
) -> None:
    game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    before = office.mails("ada")
    arrives(before[-1].reply_to, a_mail(text))
    deal_with_mails()
    deal_with_desk(RECORDS)
    told = " ".join(" ".join(it.text.split()) for it in office.mails("ada")[len(before) :])
    assert [it for it in answers if it not in told] == [], told


def test_only_people_agree_to_a_pause(office: Office, ada: UUID) -> None:
    game_of(ada, bots=2, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, "pause")
    assert "The game is paused." in told and "Everyone agreed" not in told


@pytest.mark.parametrize(
    ("locale", "text", "told"),
    [
        ("en", "MOVE\n\nWhose turn is it next?", "We're waiting for bea."),
        ("en", "MOVE\nhow many points do I have?", "The scores so far: you (0)"),
        ("en", "What does the D mean?\nMOVE", "D is a double star"),
        ("en", "Hi, MOVE please. What does the D mean?", "D is a double star"),
        ("en", "MOVE - and how many points do I have?", "The scores so far: you (0)"),
        ("en", "MOVE\n\nWhen does the game end?", "After scoring, and how the game ends"),
        ("en", "MOVE\n\nCould my brother join us?", "so no one else can join"),
        ("en", "MOVE\n\nWhat did the others do?", 'Reply "history" for all moves'),
        ("en", "MOVE\n\nCan I talk to the others?", 'begin the line with "say"'),
        ("en", "MOVE\n\nWhich games am I in?", 'To list your games, reply "games".'),
        ("en", "MOVE\n\nWhat happens if I'm late?", "If your time runs out"),
        ("de", "MOVE\n\nWann endet das Spiel?", "Nach der Wertung und am Ende"),
        ("en", "Hi,\n\nMOVE\n\nThanks, how long does\na game take?\n\nAda", "about 30 turns"),
        (
            "en",
            "MOVE\n\nHow are you all?",
            "We can't answer “How are you all?”. To ask everyone at the table, begin the",
        ),
        (
            "en",
            "MOVE\n\nHow is your grandmother? And who won the cup?",
            "We can't answer “How is your grandmother?”",
        ),
        ("de", "MOVE\n\nWie viele Punkte habe ich?", "Der Stand bisher: du (0)"),
        ("de", "Was kostet das?\n\nMOVE", "Dieser Server nimmt kein Geld."),
        ("de", "MOVE\n\nWie geht es euch?", "Auf „Wie geht es euch?“ haben wir keine Antwort."),
        ("de", "MOVE. Was bedeutet das D?", "D ist ein Doppelstern"),
        ("en", "MOVE\nIs Alcor a bot?", "You're playing with"),
        ("de", "Welcher Bot spielt da? MOVE", "Du spielst mit"),
        ("en", "Does your cat like cheese? MOVE. Thanks!", "We can't answer “Does your cat like cheese?”"),
    ],
)
def test_a_question_beside_a_move_is_answered_and_the_move_played(
    office: Office, ada: UUID, bea: UUID, locale: str, text: str, told: str
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    change_profile(ada, {"locale": locale})
    everything_due_happens()
    answer = ada_writes(office, text.replace("MOVE", a_move(game_id, ada)))
    assert load(game_id).version == 2 and told in " ".join(answer.text.split())


@pytest.mark.parametrize(
    ("locale", "question", "told"),
    [
        ("en", "Should I play that?", ""),
        ("en", "Is that ok? And how many points do I have?", "The scores so far"),
        ("en", "What do you think of it?", ""),
        ("en", "What is my best move?", "We give hints only if"),
        ("en", "Can I take it back later?", 'reply "undo"'),
        ("en", "Why not Leo?", ""),
        ("de", "Soll ich das spielen?", ""),
        ("de", "Ist das erlaubt? Wie viele Punkte habe ich?", "Der Stand bisher"),
        ("de", "Was meinst du dazu?", ""),
    ],
)
def test_a_question_about_the_move_beside_it_holds_the_move(
    office: Office, ada: UUID, bea: UUID, locale: str, question: str, told: str
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    change_profile(ada, {"locale": locale})
    everything_due_happens()
    for text in (f"MOVE\n\n{question}", f"MOVE. {question}"):
        answer = " ".join(ada_writes(office, text.replace("MOVE", a_move(game_id, ada))).text.split())
        assert question.partition("?")[0] in answer and told in answer
    assert load(game_id).version == 1


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("send me fewer mails", ['reply "set mails bundled"']),
        ("send me fewer mails\nno mails at night", ['reply "set mails bundled"', "set nights 22:00-08:00"]),
        ("I'm on vacation from Dec 10 to Dec 14", ["-12-10.."]),
        ("I'd like to invite eva@example.org to Sternenglanz!", ["new sternenglanz eva@example.org"]),
        ("Good luck everybody!", [NOT_SENT]),
        ("Viel Spaß, Klaus!", [NOT_SENT]),
        ("That was a nice move, Bea.", [NOT_SENT]),
        ("Sorry for the delay, I was ill.\n\nAda", [NOT_SENT]),
        ("That star is far away.", [NOT_SENT]),
        ("Happy holidays, everyone!", [NOT_SENT]),
    ],
)
def test_a_sentence_below_a_move_is_answered(
    office: Office, ada: UUID, bea: UUID, text: str, answers: list[str]
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, f"{a_move(game_id, ada)}\n\n{text}")
    assert load(game_id).version == 2 and messages(game_id) == []
    assert [it for it in answers if it not in told] == [], told
    assert (NOT_SENT in told) == (NOT_SENT in answers)
    assert ("vacation 2" in told) == any(".." in it for it in answers)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Thanks!",
            "Thanks for the game!",
            "Best wishes,\nAda Costa",
            "Good luck,\nAda",
            "Sent from my iPhone",
            "Ada",
        ),
        *(
            "Viele Grüße\nAda\nCosta & Pay GmbH. Apps for your phone.",
            "Bis morgen!",
            "Cheers, Ada",
            "-- \nNice sentence here.",
        ),
    ],
)
def test_courtesy_and_signatures_below_a_move_get_no_answer(office: Office, ada: UUID, bea: UUID, text: str) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, f"Hi all,\n\n{a_move(game_id, ada)}\n\n{text}")
    assert load(game_id).version == 2
    assert NOT_SENT not in told and "This server takes no payments" not in told and "You need no app" not in told


@pytest.mark.parametrize(
    "text",
    [
        "Nice picture!",
        "ich mag das spiel",
        "Sorry for the delay, I was on holiday.",
        "Ok thanks",
        "What a sky. I love it",
    ],
)
def test_a_remark_is_no_fault(office: Office, ada: UUID, bea: UUID, text: str) -> None:
    game_of(ada, bea, bots=1, options={"start_seat": 0})
    answer = ada_writes(office, text)
    assert answer.message["Subject"].startswith("Reply: "), answer.message["Subject"]
    assert "didn't work" not in answer.text and "To do this" not in answer.text
    assert re.search("This isn't a move or a command|There's nothing to agree to", answer.text)


def test_a_question_beside_a_faulty_line_is_answered(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, "7 xyzzy c\n\nHow many points do I have?")
    assert "We don't know the word" in told and "The scores so far" in told
    told = asks(office, "1 leo a\n7 leo b\n\nHow many points do I have?")
    assert "more than one move" in told and "The scores so far" in told
    assert "We can't answer “How are you?”" in asks(office, "7 xyzzy c\n\nHow are you?")
    assert "We can't answer “" not in asks(office, "Did you see the match?")
    assert "foo bar / How many points do I have?" in asks(office, "foo bar\nHow many points do I have?")
    assert load(game_id).version == 1


@pytest.mark.parametrize(
    ("locale", "text", "told"),
    [
        (
            "en",
            "Put my lovely {0} on {1} {2}\nno mails at night please\nhow long does a game take?",
            ["{0} {1} {2}", "30"],
        ),
        ("de", "Zug {0} auf {1} {2} bitte!\nhöchstens eine Mail am Tag\nwas kostet das?", ["kein Geld", "Meintest du"]),
        ("en", "What does B do?\nI choose black hole B", ["“I choose black hole B” – No move was played."]),
        ("de", "Wer ist dran? {0} {1} xyzzy", ["{0} {1} xyzzy", "xyzzy"]),
        ("en", "Why can't I use Leo?\n\n{0} {1} please, the nice one", ["{0} {1} a"]),
    ],
)
def test_a_line_like_a_move_beside_a_question_is_named(
    office: Office, ada: UUID, bea: UUID, locale: str, text: str, told: list[str]
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    change_profile(ada, {"locale": locale})
    everything_due_happens()
    move = in_words(GAMES["sternenhimmel"], a_move(game_id, ada), locale).split()
    answer = asks(office, text.format(*move))
    assert [it for it in told if it.format(*move) not in answer] == [], answer
    assert load(game_id).version == 1


def test_a_question_beside_a_command_is_answered(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, "say Hello!\n\nWhose turn is it?")
    assert "We're waiting for your move." in told and messages(game_id) == ["Hello!"]
    told = asks(office, "?\n\nHow many points do I have?")
    assert "The scores so far" in told and "Your possible moves." in told


def test_a_player_learns_their_last_move_their_time_and_why_a_move_was_refused(
    office: Office, ada: UUID, bea: UUID
) -> None:
    game_id = game_of(ada, bots=2, options={"start_seat": 0})
    everything_due_happens()
    assert "You haven't moved yet in this game." in asks(office, "What was my last move?")
    assert "We haven't refused any of your emails in this turn." in asks(office, "Why was my move refused?")
    move = a_move(game_id, ada)
    asks(office, move)
    everything_due_happens()
    assert f"Your last move: {move}" in asks(office, "What was my last move?")
    assert "Please move by" in asks(office, "When is my turn over?").partition("It's your turn.")[0]
    asks(office, "7 xyzzy c")
    for question in (
        "Why was my move refused?",
        "What did I do wrong?",
        "Was habe ich falsch gemacht?",
        "Qu'ai-je fait de mal ?",
        "Cosa ho sbagliato?",
    ):
        assert "“7 xyzzy c” – We don't know the word" in asks(office, question)


def test_a_refusal_of_a_move_that_was_played_since_is_not_named(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    address, move = office.mails("ada")[-1].reply_to, a_move(game_id, ada)

    def told(text: str) -> str:
        before = len(office.mails("ada"))
        arrives(address, a_mail(text))
        deal_with_mails()
        later(JOINING)
        return " ".join(" ".join(it.text.split()) for it in office.mails("ada")[before:])

    told("7 xyzzy c")
    told(move)
    told(move.replace(" ", "  "))
    assert load(game_id).version == 2
    assert "We haven't refused any of your emails in this turn." in told("Why was my move refused?")


def test_a_player_learns_no_reason_that_an_earlier_player_of_the_seat_got(
    office: Office, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    asks(office, "7 xyzzy c")
    mail = db.session.scalars(db.select(Incoming).where(Incoming.game_id == game_id)).one()
    with force_locale("en"):
        assert "xyzzy" in newest_refusal(mail)
        leave(game_id, ada)
        vote(game_id, bea, OFFER, True)
        take_over(game_id, cyd)
        assert "xyzzy" not in newest_refusal(mail)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Can bea see my stars?", "Secret: stars face down on large spaces (except your own)"),
        ("Can bea see my plan?", "No other player can see your plans."),
        ("What does the double star do?", "A swallowed double star no longer counts."),
        ("What is a black hole?", "Each remaining black hole swallows all its neighbours"),
        ("What does the 10 do?", "A number is worth what it shows"),
        ("What does Leo do?", "Each constellation shows its two prizes"),
        ("What is a large space?", "face up on a small one, face down on a large one"),
        ("What is the compensation?", "one coin for each star left"),
        ("How do I stop?", 'To give up your seat in this game, reply "resign".'),
        ("Is it hard?", "3, 4 or 5 players light up constellations."),
        ("I don't understand.", "3, 4 or 5 players light up constellations."),
        ("Ist das für Anfänger?", "3, 4 or 5 players light up constellations."),
        ("Is there a time limit?", "Pace: 2 days per turn"),
        ("Why can't I see bea's stars?", "Secret: stars face down on large spaces (except your own)"),
        ("What's new?", 'Reply "history" for all moves'),
        ("Can you remind me an hour before?", 'reply "set reminders 1h"'),
        ("When does the game end?", "After scoring, and how the game ends"),
        ("Wann ist das Spiel zu Ende?", "After scoring, and how the game ends"),
        ("Can my friend join this game?", "This game has begun, so no one else can join."),
        ("Kann mein Bruder mitspielen?", "This game has begun, so no one else can join."),
        ("what does it cost me if I am late?", "If your time runs out, you get 1 day more."),
        ("Can I be late?", "the bot Greedy plays the turn for you"),
        ("Was passiert, wenn ich die Zeit verpasse?", 'To take your seat back from the bot, reply "join 1".'),
        ("Que se passe-t-il si je rate mon tour ?", 'reply for example "vacation 2027-07-01..2027-07-14"'),
        ("Cosa succede se non rispondo in tempo?", "the bot Greedy plays for you until you come back"),
        ("Is there an app?", "You need no app"),
        ("Is it free?", "This server takes no payments."),
        ("Who is winning?", "The scores so far"),
        ("Can a bot take the free seat?", "All seats of this game are taken."),
        ("Can a bot take the free seat in game 2?", 'Reply for example "fill 2" to give the free seats of game 2'),
    ],
)
def test_a_question_about_a_piece_a_secret_or_the_service_is_answered(
    office: Office, ada: UUID, bea: UUID, question: str, told: str
) -> None:
    game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    assert told in asks(office, question)


@pytest.mark.parametrize(
    "question",
    [
        *(
            "Why did Greedy get 9 coins for Leo and not 10?",
            "Was my last move good?",
        ),
        *(
            "Warum hat bea 9 Punkte?",
            "War mein letzter Zug gut?",
            "Pourquoi a-t-elle 9 pièces ?",
            "Perché ha 9 monete?",
        ),
    ],
)
def test_a_question_that_only_mentions_a_topic_gets_no_answer_about_it(
    office: Office, ada: UUID, bea: UUID, question: str
) -> None:
    game_of(ada, bea, bots=1, options={"start_seat": 0})
    everything_due_happens()
    told = asks(office, question)
    assert question in told
    assert not any(
        it in told
        for it in ("The scores so far", "You haven't moved yet", "Your last move", "This server takes no payments")
    )


def test_every_name_of_a_piece_card_or_place_leads_to_its_rules() -> None:
    for game, names in {
        "sternenhimmel": (*("double star", "black hole", "Doppelstern", "trou noir", "Wassermann", "prize", "stack"),),
        "sternenglanz": (
            *("dot star", "bright star", "splendid star", "Supernova", "star birth", "star migration", "Leuchtstern"),
            *("black hole", "slot", "deck", "Firmament", "special space", "constellation", "discard pile", "Kelch"),
        ),
    }.items():
        options = {"scenario": 4} if game == "sternenglanz" else {}
        for name in names:
            assert section_about(f"What does the {name} do?", game, "en", 3, options), name
        assert section_about("What does my aunt do?", game, "en", 3, options) is None


@pytest.mark.parametrize(
    "beside",
    [
        "\nPlease send me fewer mails, and no mails at night.",
        "\n\nCould you please also tell me how much time is left?",
        "\nWhat if the others never answer?",
        "\nBitte nachts keine Mails",
    ],
)
def test_a_move_is_played_beside_a_sentence_that_casts_no_doubt(
    office: Office, ada: UUID, bea: UUID, beside: str
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    answer = ada_writes(office, a_move(game_id, ada) + beside)
    assert answer.subject.startswith("Move played"), answer.text


@pytest.mark.parametrize(
    "beside", ["\nCould you tell me if that is legal?", "\n\nCan you tell me whether I should wait?"]
)
def test_no_move_is_played_beside_a_sentence_that_casts_doubt(
    office: Office, ada: UUID, bea: UUID, beside: str
) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    assert "your move was played" not in ada_writes(office, a_move(game_id, ada) + beside).text
