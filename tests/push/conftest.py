"""Fixtures shared with webhook tests."""

from tests.webhooks.conftest import receiver, sandbox

__all__ = ["receiver", "sandbox"]
