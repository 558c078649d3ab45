"""The post desk: an open address where people play by email alone.

- `addresses` has the open address and the signed ones, and stores an email to them.
- `commands` declares all commands. The reader, `help` and the handbook use it.
- `reading` finds the commands in an email.
- `subjects` decides whether a subject is a command.
- `arguments` parses what follows a command.
- `acting` carries out commands with the use cases of the REST API.
- `games`, `account` have the commands about games, and about the account.
- `counter` handles emails one at a time: proof, limits, and the answer.
- `languages` guesses the language of a stranger's email.
"""
