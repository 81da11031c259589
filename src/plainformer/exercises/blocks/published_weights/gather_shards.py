"""Exercise 4: a model in several files, put together by its index."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def gather_shards(
    weight_map: dict[str, str],
    shards: dict[str, dict[str, list[float]]],
) -> dict[str, list[float]] | None:
    """Put a model together from its parts, by its index.

    weight_map: for each tensor's name, the file that holds it.
    shards: for each file, its tensors by their names; there may be more
    files than the index uses.
    Returns all tensors of weight_map by their names, or None if a file
    is missing, if it lacks a tensor that the index puts there, or if a
    file that the index uses holds a tensor that the index does not put
    there.

    >>> shards = {"1.st": {"a": [1.0]}, "2.st": {"b": [2.0]}}
    >>> gather_shards({"a": "1.st", "b": "2.st"}, shards)
    {'a': [1.0], 'b': [2.0]}
    >>> gather_shards({"a": "1.st", "b": "1.st"}, shards) is None
    True
    """
    gathered = {}
    for name, file in weight_map.items():
        if file not in shards or name not in shards[file]:
            return None
        gathered[name] = shards[file][name]
    for file in set(weight_map.values()):
        for name in shards[file]:
            if weight_map.get(name) != file:
                return None
    return gathered


_Shards = dict[str, dict[str, list[float]]]


def _draw(rng: np.random.Generator) -> tuple[dict[str, str], _Shards]:
    names = ["wte", "wpe", "ln_f", "h.0", "h.1"][: int(rng.integers(3, 6))]
    weight_map = {name: f"part-{rng.integers(1, 4)}" for name in names}
    shards: _Shards = {"other": {"wte": [0.0]}}
    for name, file in weight_map.items():
        shards.setdefault(file, {})[name] = rng.integers(-9, 10, size=2).astype(float).tolist()
    name = str(rng.choice(names))
    match int(rng.integers(0, 7)):
        case 0:
            del shards[weight_map[name]]
        case 1:
            shards[weight_map[name]].pop(name)
        case 2:
            shards[weight_map[name]]["extra"] = [1.0]
        case 3:  # a second copy of it, in a file that the index uses for others
            shards[weight_map[names[0]]].setdefault(name, [7.0])
        case 4:
            weight_map[name] = "nowhere"
        case _:
            pass
    return weight_map, shards


_TWO: _Shards = {"1": {"a": [1.0, 2.0]}, "2": {"b": [3.0], "c": [4.0]}}

EXERCISE = Exercise(
    id="blocks.published_weights.4",
    title="Parts and an index",
    reference=gather_shards,
    points=2,
    cases=(
        Case(({"a": "1"}, {"1": {"a": [1.0]}}), {"a": [1.0]}),
        Case(({"a": "1", "b": "2", "c": "2"}, _TWO), {"a": [1.0, 2.0], "b": [3.0], "c": [4.0]}),
        Case(({"a": "1", "b": "2"}, _TWO), None),  # c is left over
        Case(({"a": "3"}, _TWO), None),
        Case(({"a": "2", "b": "2", "c": "2"}, _TWO), None),
        Case(({"a": "1"}, _TWO), {"a": [1.0, 2.0]}),  # the index does not use file 2
        # b is in both files, but the index puts it only into 2.
        Case(({"a": "1", "b": "2"}, {"1": {"a": [1.0], "b": [9.0]}, "2": {"b": [2.0]}}), None),
    ),
    generate=_draw,
    hints=(
        "Go through weight_map: it says which file to look into, for each name.",
        "Before you look up shards[file][name], see that both keys are there.",
        "Then check the other direction: go through each file that the index uses, and check "
        "for each tensor in it that weight_map puts it into this file.",
    ),
    mutants={
        "A file that the index names is missing: the answer is None, not an "
        "error.": "if file not in shards or name not in shards[file] -> "
        "if name not in shards[file]",
        "A file lacks a tensor that the index puts there: the answer is None.": (
            "if file not in shards or name not in shards[file] -> if file not in shards"
        ),
        "You leave out what is missing. A model without one of its weights is unusable: the answer "
        "is None.": "return None\n        gathered[name] -> continue\n        gathered[name]",
        "A tensor is left over in a file that the index uses: the answer is None.": (
            "for name in shards[file]: -> for name in ():"
        ),
        "You reject tensors in files that the index does not use. Look only at the files that "
        "it names.": "for file in set(weight_map.values()): -> for file in shards:",
        "A tensor may be in the index and still be in the wrong file: compare "
        "the file as well.": "if weight_map.get(name) != file: -> if name not in weight_map:",
        "You merge all files. The index says which one to take each tensor "
        "from.": lambda weight_map, shards: {
            name: tensor for file in shards.values() for name, tensor in file.items()
        },
        "You return the tensors by file. The task asks for "
        "each tensor by its name.": lambda weight_map, shards: {
            file: [
                shards.get(file, {}).get(name) for name in weight_map if weight_map[name] == file
            ]
            for file in sorted(set(weight_map.values()))
        },
    },
)


@EXERCISE.alternate
def _by_sets(weight_map: dict[str, str], shards: _Shards) -> dict[str, list[float]] | None:
    said = {(file, name) for name, file in weight_map.items()}
    there = {(file, name) for file, _ in said for name in shards.get(file, {})}
    return (
        {name: shards[file][name] for name, file in weight_map.items()} if said == there else None
    )


@EXERCISE.alternate
def _file_by_file(weight_map: dict[str, str], shards: _Shards) -> dict[str, list[float]] | None:
    out: dict[str, list[float]] = {}
    for file in dict.fromkeys(weight_map.values()):
        wanted = sorted(name for name in weight_map if weight_map[name] == file)
        if sorted(shards.get(file, {})) != wanted:
            return None
        out |= shards[file]
    return out
