"""Fair dice: known draws, recomputed in the simplest way."""

from collections import Counter
from hashlib import sha256

import pytest

from server.games import SeededDice, commitment

SEED = bytes(range(32))
SALTS = ["", "Grüße", "c"]


def words(seed: bytes, salts: list[str], many: int) -> list[int]:
    text = seed
    for salt in salts:
        text += len(salt.encode("utf-8")).to_bytes(4, "big") + salt.encode("utf-8")
    key = sha256(text).digest()
    blocks = b"".join(sha256(key + n.to_bytes(8, "big")).digest() for n in range(many // 4 + 1))
    return [int.from_bytes(blocks[8 * n : 8 * n + 8], "big") for n in range(many)]


def test_the_commitment_is_the_sha_256_of_the_seed() -> None:
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_a_number_below_k_is_a_random_word_modulo_k() -> None:
    dice = SeededDice(SEED, SALTS)
    assert [dice.below(1000) for _ in range(9)] == [word % 1000 for word in words(SEED, SALTS, 9)]


def test_the_same_seed_gives_the_recorded_draws() -> None:
    dice = SeededDice(SEED, SALTS)
    assert [dice.below(1000) for _ in range(6)] == [259, 977, 368, 568, 691, 280]
    assert dice.shuffled("abcdefgh") == list("bdgafche")
    assert dice.drawn == 13


def test_a_shuffle_swaps_items_from_the_last_to_the_first() -> None:
    order = list("abcdefgh")
    for i, word in zip(range(7, 0, -1), words(SEED, SALTS, 7), strict=True):
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    assert SeededDice(SEED, SALTS).shuffled("abcdefgh") == order


def test_a_random_word_that_would_favour_small_numbers_is_discarded() -> None:
    k = 2**63 + 1  # half of all words exceed the largest multiple of k
    taken = [word for word in words(SEED, SALTS, 40) if word < k]
    dice = SeededDice(SEED, SALTS)
    assert [dice.below(k) for _ in range(10)] == taken[:10]
    assert dice.drawn > 10


def test_a_draw_with_only_one_possible_result_also_uses_a_random_word() -> None:
    dice = SeededDice(SEED, SALTS)
    assert (dice.below(1), dice.drawn) == (0, 1)
    assert (dice.shuffled("a"), dice.drawn) == (["a"], 1)


@pytest.mark.parametrize("k", [0, -1, 2**64 + 1])
def test_the_bound_of_a_drawn_number_must_be_between_1_and_2_to_the_64(k: int) -> None:
    with pytest.raises(ValueError, match="below 1 to"):
        SeededDice(SEED, SALTS).below(k)


def test_recreated_dice_continue_where_the_previous_dice_stopped() -> None:
    whole = SeededDice(SEED, SALTS)
    first = SeededDice(SEED, SALTS)
    draws = [first.below(6) for _ in range(7)]
    second = SeededDice(SEED, SALTS, first.drawn)
    assert draws + [second.below(6) for _ in range(7)] == [whole.below(6) for _ in range(14)]


def test_the_draws_depend_on_every_salt_with_its_seat_and_length() -> None:
    tables: list[list[str]] = [["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc", ""], ["", "abc"], ["abc"], []]
    assert len({SeededDice(SEED, salts).below(2**64) for salts in tables}) == len(tables)
    assert SeededDice(SEED, ["Grüße"]).below(2**64) == SeededDice(SEED, ["Grüße".encode()]).below(2**64)


def test_draws_are_uniform() -> None:
    dice = SeededDice(SEED, [])
    seen = Counter(dice.below(6) for _ in range(12_000))
    assert sorted(seen) == list(range(6))
    assert sum((many - 2000) ** 2 / 2000 for many in seen.values()) < 20.5  # chi-square, 5 degrees, 1 in 1000


def test_shuffles_are_uniform() -> None:
    dice = SeededDice(SEED, [])
    seen = Counter("".join(dice.shuffled("abcd")) for _ in range(12_000))
    assert len(seen) == 24
    assert sum((many - 500) ** 2 / 500 for many in seen.values()) < 49.7  # chi-square, 23 degrees, 1 in 1000
