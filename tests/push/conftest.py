"""What tests of push share with those of webhooks."""

from tests.webhooks.conftest import receiver, sandbox

__all__ = ["receiver", "sandbox"]
