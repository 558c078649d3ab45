"""Inbound mail, from the inbound routes to its effects.

- `intake` stores an email of any inbound route.
- `smtp_server` receives emails by SMTP and LMTP.
- `imap` reads emails from a mailbox.
- `providers` parses webhooks of mail providers.
- `sns` verifies signatures of Amazon SNS.
- `answering` carries out an email and queues its answer.
- `replies` finds the lines of a reply that act.
- `invitations` handles replies to invitations.
- `doubt` checks whether prose contradicts a line beside it.
- `mime` decodes parts, charsets and flowed text.
- `automatic_mail` detects emails written by machines.
- `authentication` reads the results of SPF, DKIM and DMARC.
- `html_text` converts HTML emails to lines.
- `notices` removes disclaimers and warnings.
- `quotes` removes quoted lines.
- `commands` has the command words in four languages.
- `help_lines` has the help in answers.
- `planning` parses plans.
- `near_misses` detects misspelt moves and commands.
- `bounces` handles bounces and complaints.
- `diagnoses` classifies responses of mail servers.
- `child` runs parsers in a limited process.
"""
