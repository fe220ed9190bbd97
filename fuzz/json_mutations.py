"""Mutations of one JSON value: what a server might get wrong in a chunk."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from fuzz.chunks import Sender
from fuzz.json_tree import Literal, Object, Slot, Style, dump, get, slots, slots_named
from fuzz.words import FINISH_REASONS, IDS, INDEXES, KEYS, ODD_VALUES, RAW_STRINGS, TEXTS

Tree = Any
Mutation = Callable[[Tree, Random], Tree]
T = TypeVar("T")


def swap_type(tree: Tree, rng: Random) -> Tree:
    """Another value, mostly of another type, anywhere."""
    return _put(tree, rng, rng.choice(ODD_VALUES))


def to_text(tree: Tree, rng: Random) -> Tree:
    """A value as the string of its JSON."""
    found = slots(tree)
    if found:
        slot = rng.choice(found)
        slot.put(dump(slot.value))
    return tree


def wrap(tree: Tree, rng: Random) -> Tree:
    """A value in a list or an object, or so deep in them that readers give up."""
    found = slots(tree)
    if not found:
        return [tree]
    slot = rng.choice(found)
    depth = rng.choice([1, 1, 1, 2, 4, 255, 257, 1500])
    opening, closing = rng.choice([("[", "]"), ('{"a":', "}")])
    slot.put(Literal(opening * depth + dump(slot.value) + closing * depth))
    return tree


def drop(tree: Tree, rng: Random) -> Tree:
    """A key or an item less."""
    found = slots(tree)
    if found:
        slot = rng.choice(found)
        del slot.parent[slot.position]
    return tree


def rename(tree: Tree, rng: Random) -> Tree:
    """Another known key."""
    slot = _pair(tree, rng)
    if slot is not None:
        slot.parent[slot.position] = (rng.choice(KEYS), slot.value)
    return tree


def repeat_key(tree: Tree, rng: Random) -> Tree:
    """The same key again in its object, with the same value or another."""
    slot = _pair(tree, rng)
    if slot is not None:
        again = rng.choice([slot.value, None, rng.choice(ODD_VALUES), rng.choice(TEXTS)])
        place = rng.randrange(len(slot.parent) + 1)
        slot.parent.insert(place, (str(slot.key), again))
    return tree


def add_key(tree: Tree, rng: Random) -> Tree:
    """A known key where it may not belong."""
    objects = [slot.value for slot in slots(tree) if isinstance(slot.value, Object)]
    place = rng.choice([tree, *objects])
    if isinstance(place, Object):
        value = rng.choice([rng.choice(ODD_VALUES), rng.choice(TEXTS)])
        place.insert(rng.randrange(len(place) + 1), (rng.choice(KEYS), value))
    return tree


def odd_text(tree: Tree, rng: Random) -> Tree:
    """Something odd within a string: escapes, control characters, halves of pairs."""
    texts = [slot for slot in slots(tree) if type(slot.value) is str]
    if texts:
        slot = rng.choice(texts)
        text, place = slot.value, rng.randrange(len(slot.value) + 1)
        before, after = dump(text[:place])[:-1], dump(text[place:])[1:]
        inserted = rng.choice([dump(rng.choice(TEXTS)), rng.choice(RAW_STRINGS)])
        slot.put(Literal(before + inserted[1:-1] + after))
    return tree


def exchange(tree: Tree, rng: Random) -> Tree:
    """Two values in each other's place."""
    found = slots(tree)
    if len(found) >= 2:
        one, other = rng.sample(found, 2)
        # If one lies within the other, the outer one's new value is all that remains.
        text = dump(one.value)
        one.put(Literal(dump(other.value)))
        other.put(Literal(text))
    return tree


def move(tree: Tree, rng: Random) -> Tree:
    """Fragments of one choice or call given to another."""
    found = slots_named(tree, "index")
    if found:
        rng.choice(found).put(rng.choice(INDEXES))
    return tree


def change_id(tree: Tree, rng: Random) -> Tree:
    """Another id, of a call or of the completion."""
    found = slots_named(tree, "id")
    if found:
        rng.choice(found).put(rng.choice(IDS))
    return tree


def finish(tree: Tree, rng: Random) -> Tree:
    """Some finish reason in each choice."""
    choices = get(tree, "choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, Object):
            reason = rng.choice([None, *FINISH_REASONS])
            choice[:] = [pair for pair in choice if pair[0] != "finish_reason"]
            choice.append(("finish_reason", reason))
    return tree


def more_choices(tree: Tree, rng: Random) -> Tree:
    """Further choices, or the same ones again, in one chunk."""
    choices = get(tree, "choices")
    if isinstance(choices, list) and not isinstance(choices, Object):
        sender = Sender(rng)
        choices += rng.choice([choices, [sender.choice(rng.randrange(3))]])
    return tree


def message_for_delta(tree: Tree, rng: Random) -> Tree:
    """A whole message in place of a delta, or the other way round; perhaps both."""
    for slot in slots_named(tree, "delta", "message"):
        key = "message" if slot.key == "delta" else "delta"
        if rng.random() < 0.3:
            slot.parent.append((key, slot.value))
        else:
            slot.parent[slot.position] = (key, slot.value)
    return tree


MUTATIONS: dict[Mutation, int] = {
    swap_type: 2,
    to_text: 1,
    wrap: 1,
    drop: 2,
    rename: 1,
    repeat_key: 2,
    add_key: 1,
    odd_text: 2,
    exchange: 1,
    move: 2,
    change_id: 1,
    finish: 1,
    more_choices: 1,
    message_for_delta: 1,
}
"""With the weight of each."""


def mutated(tree: Tree, rng: Random) -> str:
    """The text of the tree after one to three mutations."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        tree = weighed(MUTATIONS, rng)(tree, rng)
    return dump(tree, random_style(rng))


def weighed(weights: dict[T, int], rng: Random) -> T:
    """One of the keys, by their weights."""
    return rng.choices(list(weights), list(weights.values()))[0]


def random_style(rng: Random) -> Style:
    """Some way of writing JSON; line ends between values need several data fields."""
    return Style(
        ensure_ascii=rng.random() < 0.5,
        comma=rng.choice([",", ",", ", ", " ,\t", ",\n"]),
        colon=rng.choice([":", ":", ": "]),
    )


def _put(tree: Tree, rng: Random, value: Tree) -> Tree:
    found = slots(tree)
    if not found:
        return value
    rng.choice(found).put(value)
    return tree


def _pair(tree: Tree, rng: Random) -> Slot | None:
    pairs = [slot for slot in slots(tree) if isinstance(slot.parent, Object)]
    return rng.choice(pairs) if pairs else None
