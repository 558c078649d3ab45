"""What tests of `play` share: a service that is up, and players."""

from tests.support.players import ada, bea, cyd, within

__all__ = ["ada", "bea", "cyd", "within"]
