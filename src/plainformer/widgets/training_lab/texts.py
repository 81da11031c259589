"""Three short texts to train on, written for the course: a story, recipes, a program."""

from __future__ import annotations

__all__ = ["TEXTS"]

STORY = """\
The cat lived in the lighthouse, and the keeper lived there too. Every evening the keeper \
climbed the stairs and lit the lamp, and every evening the cat climbed the stairs behind him. \
The lamp turned, the light went out over the sea, and far away the boats saw it and were glad.

One evening the keeper was ill and stayed in bed. The sun went down over the sea, and the lamp \
was dark. The cat sat at the door and looked at the keeper. Then the cat looked at the stairs. \
Far away on the sea there was a boat, and the boat was looking for the light.

So the cat climbed the stairs alone. There was the lamp, and there was the rope that rang the \
bell. The cat could not light the lamp, for a cat has no hands. But the cat could play with a \
rope, and so the cat played. The bell rang over the sea. It rang and rang, and the captain of \
the boat heard it. "There is the lighthouse," said the captain, "and there are the rocks," and \
the boat turned away.

In the morning the keeper was well again, and the captain came to the door. "Who rang the bell?" \
said the captain. The keeper looked at the cat, and the cat looked at the sea. "I was ill," said \
the keeper, "and nobody else lives here, only the cat." The captain was silent. Then the captain \
went back to the boat, and came again with a fish, and the fish was for the cat.

Ever since that evening there are two of them who keep the light. The keeper lights the lamp, \
and the cat sits at the rope. And when the boats come home over the sea, they ring their bells, \
and the cat in the lighthouse rings the bell for them.
"""

RECIPES = """\
Bread with seeds
Mix the flour with the salt and the seeds. Warm the water, stir in the yeast and wait until it \
foams. Pour the water over the flour and stir. Knead the dough until it is smooth, cover it and \
let it rest for an hour. Shape the dough, put it into the tin and let it rest again. Bake the \
bread for forty minutes, until it is brown. Let it cool before you cut it.

Soup with beans
Wash the beans and soak them overnight. Chop the onion and the garlic. Warm the oil in the pot, \
add the onion and stir until it is soft. Add the garlic and the beans, pour in the water and let \
the soup boil. Cover the pot and let it simmer for an hour, until the beans are soft. Add the \
salt and the herbs at the end, stir, and serve the soup with the bread.

Cake with apples
Peel the apples and cut them into slices. Mix the butter with the sugar and stir until it is \
soft. Add the eggs, then the flour and the salt, and stir until the dough is smooth. Pour the \
dough into the tin and put the apples on the dough. Bake the cake for forty minutes, until it is \
brown. Let it cool, and serve it with the cream.

Salad with eggs
Boil the eggs for ten minutes and let them cool. Wash the salad and cut it. Peel the eggs and \
cut them into slices. Mix the oil with the salt and the herbs, pour it over the salad and stir. \
Put the eggs on the salad, and serve it with the bread.
"""

PROGRAM = '''\
def mean(values):
    """Return the mean of the values."""
    total = 0
    for value in values:
        total = total + value
    return total / len(values)


def largest(values):
    """Return the largest of the values."""
    best = values[0]
    for value in values:
        if value > best:
            best = value
    return best


def smallest(values):
    """Return the smallest of the values."""
    best = values[0]
    for value in values:
        if value < best:
            best = value
    return best


def count(values, wanted):
    """Return how many of the values are wanted."""
    total = 0
    for value in values:
        if value == wanted:
            total = total + 1
    return total


def reverse(values):
    """Return the values from the last to the first."""
    found = []
    for value in values:
        found = [value] + found
    return found


def unique(values):
    """Return each of the values once."""
    found = []
    for value in values:
        if value not in found:
            found = found + [value]
    return found


def variance(values):
    """Return the variance of the values."""
    middle = mean(values)
    total = 0
    for value in values:
        total = total + (value - middle) ** 2
    return total / len(values)
'''

TEXTS = {"story": STORY, "recipes": RECIPES, "program": PROGRAM}
"""The texts by the names that `TrainingLab` knows them by."""
