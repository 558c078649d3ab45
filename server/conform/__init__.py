"""Conformance: whether a server, or a proxy before one, keeps the promises of the API. It plays a game of each kind and
replays it by its archive with the engines of this project, so that whatever was shown meanwhile can be compared."""
