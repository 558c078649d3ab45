"""Run `python -m server.cli` if `sternenpost` is not on the path."""

from server.cli import main

main(prog_name="sternenpost")
