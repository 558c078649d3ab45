"""Provably fair random numbers, which follow from a seed and the players' salts.

The method, in full, so that other languages can implement it:

1. key = SHA-256(seed || length(salt 0) || salt 0 || length(salt 1) || salt 1 || ...). Salts are UTF-8, in seat order.
   A length is the number of bytes of the salt, as 4 bytes, big-endian. A seat without a salt has the empty salt.
2. Block n = SHA-256(key || n as 8 bytes, big-endian), n = 0, 1, 2, ... Its 32 bytes are four words of 8 bytes each,
   big-endian. The words of all blocks, in order, are the random words of this game.
3. A whole number below k takes the next word w. Let t be the largest multiple of k that is at most 2**64. If w < t the
   number is w mod k. Otherwise discard w and use the next word. A number below 1 takes a word, too.
4. A shuffle of n items goes from the end: for i = n-1, n-2, ..., 1 draw j below i+1 and swap the items i and j.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

WORDS = 2**64
WORDS_PER_BLOCK = 4


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of a seed in hex. The hash is published when a game opens, so that the seed can't be changed
    later."""
    return sha256(seed).hexdigest()


class SeededDice:
    """The dice of one game. `drawn` counts the words used so far. New dice with the same `drawn` continue at that
    word."""

    def __init__(self, seed: bytes, salts: Sequence[bytes | str], drawn: int = 0) -> None:
        self._key = _key(seed, salts)
        self.drawn = drawn
        self._number, self._block = -1, b""  # the block of the last word

    def below(self, k: int) -> int:
        """Return a uniform whole number from 0 to k-1, for 1 <= k <= 2**64."""
        if not 1 <= k <= WORDS:
            raise ValueError("Numbers can be drawn below 1 to 2**64 only.")
        fair = WORDS - WORDS % k
        while (word := self._next_word()) >= fair:
            pass
        return word % k

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        """Return the items in random order (Fisher-Yates from the end)."""
        order = list(things)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def _next_word(self) -> int:
        number, word = divmod(self.drawn, WORDS_PER_BLOCK)
        self.drawn += 1
        if number != self._number:
            self._number, self._block = number, sha256(self._key + number.to_bytes(8, "big")).digest()
        return int.from_bytes(self._block[8 * word : 8 * word + 8], "big")


def _key(seed: bytes, salts: Sequence[bytes | str]) -> bytes:
    key = sha256(seed)
    for salt in salts:
        salt = salt.encode() if isinstance(salt, str) else salt
        key.update(len(salt).to_bytes(4, "big") + salt)
    return key.digest()
