"""Checks that a server, and any proxy before it, keeps the promises of the API. They play a game of each kind, replay
its archive with the engines of this project, and compare the result with every response."""
