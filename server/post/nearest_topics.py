"""The topic of a question in free words: that of the example questions that are most similar to it.

Two sentences are similar if they share rare words, or rare groups of letters in their words. So other forms of a word
and misspelt ones count, too. Each language has ten examples or more per topic, in `questions/`. All are compared, since people
write in any of the four.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from math import log, sqrt
from typing import NamedTuple
from unicodedata import normalize

from server.post.topics import only_seems_about
from server.translations import LOCALES

_LEAST = 0.18  # similarity; one in fifteen sentences that ask nothing reaches it
_LEAST_WITHOUT_MARK = 0.25  # of sentences that don't end with a question mark
SURE = 0.31  # from here on, it is more often right than the patterns of `topics.py`
_LEAST_REPLY = 0.2
_LONGEST = 300  # characters
_FEWEST_WORDS, _FEWEST_WITHOUT_MARK = 2, 4
_COMPARED = 3  # examples of each topic
_NONE = "none"  # sentences that ask nothing
_GROUPS = (3, 4)  # letters
_WORD = re.compile(r"[^\W_]+")


class _Index(NamedTuple):
    topics: list[str]  # of each example
    weights: Mapping[str, float]  # of features, which are words and groups of letters
    rarest: float  # the weight of a feature that no example has
    examples: Mapping[str, list[tuple[int, float]]]  # by feature, with its share in each


def nearest_reply(sentence: str) -> str:
    """Return what a reply to an invitation most likely says: a key of `replies/`, or "" if it resembles no example."""
    means = _similarities(sentence, "replies")
    best = max(means, key=lambda it: means[it], default="")
    return best if means.get(best, 0) >= _LEAST_REPLY and best != _NONE else ""


def nearest_topic(sentence: str, least: float = 0) -> str:
    """Return the topic that a sentence most likely asks about, as in `topics.py` or a key of `questions/`. Return "" if
    it resembles no example. `least`: the similarity from which on it does, if it is to be greater than usual."""
    is_question, words = sentence.rstrip().endswith("?"), len(_WORD.findall(sentence))
    if words < (_FEWEST_WORDS if is_question else _FEWEST_WITHOUT_MARK):
        return ""
    means = _similarities(sentence, "questions")
    best = max(means, key=lambda topic: means[topic], default="")
    usual = _LEAST if is_question else _LEAST_WITHOUT_MARK
    is_near = means.get(best, 0) >= max(least, usual) and best != _NONE
    return best if is_near and not only_seems_about(sentence, best) else ""


def _similarities(sentence: str, folder: str) -> Mapping[str, float]:
    """Return how similar a sentence is to the nearest examples of each topic."""
    index = _index(folder)
    similar = defaultdict[int, float](float)
    for feature, share in _shares(Counter(_features(sentence[:_LONGEST])), index.weights, index.rarest).items():
        for nr, other in index.examples.get(feature, ()):
            similar[nr] += share * other
    by_topic = defaultdict[str, list[float]](list)
    for nr, value in similar.items():
        by_topic[index.topics[nr]].append(value)
    return {topic: sum(sorted(it)[-_COMPARED:]) / _COMPARED for topic, it in by_topic.items()}


@cache
def _index(folder: str) -> _Index:
    known = [
        (topic, Counter(_features(line)))
        for locale in LOCALES
        for topic, lines in json.loads((files(__package__) / folder / f"{locale}.json").read_text("utf-8")).items()
        for line in lines
    ]
    in_examples = Counter(chain.from_iterable(features for _, features in known))
    weights = {feature: log(1 + len(known) / number) for feature, number in in_examples.items()}
    rarest, examples = log(1 + len(known)), defaultdict[str, list[tuple[int, float]]](list)
    for nr, (_, features) in enumerate(known):
        for feature, share in _shares(features, weights, rarest).items():
            examples[feature].append((nr, share))
    return _Index([topic for topic, _ in known], weights, rarest, examples)


def _shares(features: Mapping[str, int], weights: Mapping[str, float], rarest: float) -> Mapping[str, float]:
    """Return the features of a sentence with their weights, as a vector of length 1."""
    found = {it: (1 + log(number)) * weights.get(it, rarest) for it, number in features.items()}
    length = sqrt(sum(it * it for it in found.values())) or 1
    return {feature: it / length for feature, it in found.items()}


def _features(sentence: str) -> Iterator[str]:
    for word in _WORD.findall(normalize("NFC", sentence).lower().replace("ß", "ss")):
        yield word
        spaced = f" {word} "
        for length in _GROUPS:
            yield from (spaced[at : at + length] for at in range(len(spaced) - length + 1))
