"""Exercise 2: on paper, what each process holds, and what it sends in a step."""

import numpy as np

from plainformer.exercises.spec import Case, Exact, Exercise


def held_and_sent(
    parameters: int,
    processes: int,
    way: str,
) -> tuple[int, int]:
    """Bytes on each process, and bytes that it sends in one step.

    Every number has 4 bytes. What is held: weights, gradients, and
    Adam's two means. What is sent, round a ring of N processes: for an
    all-gather or a reduce-scatter of all weights (N - 1) / N of their
    bytes, for an all-reduce twice that.
    "ddp": everything everywhere; one all-reduce of the gradients.
    "fsdp": a piece of everything; an all-gather of the weights forward,
    another backward, and a reduce-scatter of the gradients.
    parameters: a multiple of processes. Returns held and sent.

    >>> held_and_sent(100, 2, "ddp"), held_and_sent(100, 2, "fsdp")
    ((1600, 400), (800, 600))
    """
    piece = 4 * parameters // processes
    once = (processes - 1) * piece
    if way == "ddp":
        return 4 * 4 * parameters, 2 * once
    return 4 * piece, 3 * once


def _draw(rng: np.random.Generator) -> tuple[int, int, str]:
    N = int(rng.integers(1, 9))
    return N * int(rng.integers(1, 10**6)), N, str(rng.choice(["ddp", "fsdp"]))


EXERCISE = Exercise(
    id="training.many_machines.2",
    title="Held and sent, on paper",
    reference=held_and_sent,
    compare=Exact(),
    cases=(
        Case((100, 2, "ddp"), (1600, 400)),
        Case((100, 2, "fsdp"), (800, 600)),
        # A single process has no other to send to.
        Case((100, 1, "ddp"), (1600, 0)),
        Case((100, 1, "fsdp"), (1600, 0)),
        # GPT-2, on eight.
        Case((124_439_808, 8, "ddp"), (1_991_036_928, 871_078_656)),
        Case((124_439_808, 8, "fsdp"), (248_879_616, 1_306_617_984)),
    ),
    generate=_draw,
    hints=(
        "Held: four numbers for each parameter, of 4 bytes each. How are they divided among "
        "the processes?",
        "Sent: find what one all-gather of all weights costs, (N - 1) / N of 4 bytes a "
        "parameter. Then count how often it is needed.",
        "An all-reduce is a reduce-scatter and an all-gather: two times. fsdp has two all-gathers "
        "and a reduce-scatter: three times.",
    ),
    mutants={
        "With fsdp you send what ddp does. The weights are collected twice: forward, and "
        "backward.": "3 * once -> 2 * once",
        "With ddp you send the gradients once. An all-reduce has two rounds: the sums are "
        "computed, then distributed.": "2 * once -> once",
        "You count all the bytes in each round. A process never sends its last piece, so it is "
        "(N - 1) / N of them.": "(processes - 1) * piece -> processes * piece",
        "You send everything to each of the others. In a ring, a piece goes only to the "
        "neighbour.": "(processes - 1) * piece -> (processes - 1) * 4 * parameters",
        "You count numbers. Each has 4 bytes.": "4 * parameters // processes -> parameters // "
        "processes; 4 * 4 * parameters -> 4 * parameters",
        "You hold weights and gradients only. Adam also keeps two means "
        "for each weight.": "4 * 4 * parameters -> 2 * 4 * parameters; 4 * piece -> 2 * piece",
        "With fsdp each process holds a piece of everything, also of the gradients and of "
        "Adam.": "4 * piece -> 4 * parameters + 3 * piece",
        "With ddp nothing is cut: every process holds "
        "everything.": "4 * 4 * parameters -> 4 * piece",
        "With fsdp you hold everything. That is ddp.": "4 * piece, 3 -> 16 * parameters, 3",
        "You return what is sent first. What "
        "is held comes first.": "4 * 4 * parameters, 2 * once -> 2 * once, 4 * 4 * parameters; "
        "4 * piece, 3 * once -> 3 * once, 4 * piece",
        "You have mixed up the two ways.": 'way == "ddp" -> way == "fsdp"',
    },
)


@EXERCISE.alternate
def _numbers_first(parameters: int, processes: int, way: str) -> tuple[int, int]:
    numbers = {"ddp": (4 * parameters, 2), "fsdp": (4 * parameters // processes, 3)}
    held, rounds = numbers[way]
    return 4 * held, rounds * (4 * parameters - 4 * parameters // processes)


@EXERCISE.alternate
def _by_rounds(parameters: int, processes: int, way: str) -> tuple[int, int]:
    rounds = {"ddp": ["reduce-scatter", "all-gather"], "fsdp": ["gather", "gather", "scatter"]}
    size = 4 * parameters
    held = 4 * size if way == "ddp" else 4 * size // processes
    return held, sum(size * (processes - 1) // processes for _ in rounds[way])
