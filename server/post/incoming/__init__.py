"""Inbound mail: how emails arrive, and what they do.

- `intake` stores emails from every inbound route.
- `smtp_server` receives emails by SMTP and LMTP.
- `imap` fetches emails from a mailbox.
- `providers` parses webhooks of mail providers.
- `sns` verifies signatures of Amazon SNS.
- `answering` decides what an email may do, and queues our reply.
- `acting` does what an email asks for.
- `replies` finds the lines in a reply that take effect.
- `lines` notes what each line is: a move, a command, a near miss, a greeting or a question.
- `questions` answers questions about the game, and says what is unclear in a reply.
- `invitations` handles replies to invitations.
- `doubt` checks whether prose contradicts the line next to it.
- `mime` decodes parts, charsets and flowed text.
- `automatic_mail` detects emails that machines have written.
- `authentication` reads the results of SPF, DKIM and DMARC.
- `html_text` converts HTML emails to lines.
- `notices` removes disclaimers and warnings.
- `quotes` removes quoted lines.
- `commands` has the command words in four languages.
- `help_lines` has the help that our replies contain.
- `bounces` handles bounces and complaints.
- `diagnoses` classifies responses of mail servers.
- `child` runs parsers, and the search for hints, in a process with limited time and memory.
"""
