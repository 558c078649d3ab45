"""Fixtures for tests of `play`: a running service, and players."""

from tests.support.players import ada, bea, cyd, within

__all__ = ["ada", "bea", "cyd", "within"]
