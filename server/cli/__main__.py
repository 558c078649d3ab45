"""`python -m server.cli`, for those who have no `sternenpost` on their path."""

from server.cli import main

main(prog_name="sternenpost")
