"""Checks that a server, and any proxy before it, keeps the promises of the API. The checks play a game of each kind,
replay its archive with this project's engines, and compare the result with every response."""
