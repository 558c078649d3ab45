"""The post desk: a public address where people play by email alone.

- `addresses` has the public address and the signed addresses, and stores emails sent to them.
- `commands` declares all commands. The parser, `help` and the handbook use this list. It also guesses the language of
  an email from a person without an account.
- `reading` finds the commands in an email.
- `subjects` decides whether a subject is a command.
- `arguments` parses what follows a command.
- `acting` carries out commands with the use cases of the REST API.
- `games` and `account` have the commands for games and for accounts.
- `table_moves` passes a move on to the table.
- `counter` processes emails one at a time: it checks the sender and the limits, and replies.
"""
