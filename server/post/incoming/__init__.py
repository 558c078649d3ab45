"""Mail that comes in, from SMTP to what it does.

intake.py          keeps a mail, whichever way it came, before whoever brought it hears so
smtp_server.py     takes mails by SMTP and LMTP
imap.py            reads them from a mailbox
providers.py       what mail providers bring by HTTP
sns.py             whether Amazon signed it
answering.py       does what a mail asks for, and notes its one answer
replies.py         what a person wrote now, and what of it acts
invitations.py     answers to invitations: yes or no
doubt.py           what the words beside a line have to do with it
mime.py            parts, charsets, flowed text
automatic_mail.py  whether a machine wrote it
html_text.py       mails in HTML as lines
quotes.py          whose lines are whose
commands.py        the words of commands, in four languages
near_misses.py     strict notation, and what comes too near to it
bounces.py         letters that come back
diagnoses.py       what mail servers say of them
"""
