"""Mail that comes in, from the door to the deed.

door.py       takes mails by SMTP and LMTP, and keeps each before its sender hears 250
answering.py  does what a mail asks for, and notes its one answer
replies.py    what a person wrote now, and what of it acts
prose.py      what the words beside a line have to do with it
parts.py      MIME, charsets, flowed text
machines.py   whether a machine wrote it
markup.py     mails in HTML as lines
quotes.py     whose lines are whose
slips.py      strict notation, and what comes too near to it
bounces.py    letters that come back
diagnoses.py  what mail servers say of them
"""
