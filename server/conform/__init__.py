"""Checks that a server, and any proxy in front of it, keeps its API guarantees. The checks play a game of each kind,
replay its archive with this project's engines, and compare the result with every response."""
