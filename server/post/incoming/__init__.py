"""Mail that comes in, from SMTP to what it does.

smtp_server.py     takes mails by SMTP and LMTP, and keeps each before its sender hears 250
answering.py       does what a mail asks for, and notes its one answer
replies.py         what a person wrote now, and what of it acts
doubt.py           what the words beside a line have to do with it
mime.py            parts, charsets, flowed text
automatic_mail.py  whether a machine wrote it
html_text.py       mails in HTML as lines
quotes.py          whose lines are whose
near_misses.py     strict notation, and what comes too near to it
bounces.py         letters that come back
diagnoses.py       what mail servers say of them
"""
