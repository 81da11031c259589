"""A whole GPT in one file: text, autograd, model, optimizer, sampling.

    python gpt.py

trains the model within half a minute and lets it write. Nothing has to be
installed, because every number is a Python float, and everything that
happens to the numbers is written below; ``math`` and ``random`` are only
there for functions such as exp and for random draws. It is meant to be
read. Libraries compute with whole arrays at once, which makes the same
model a thousand times faster, and real models a million times as large.
"""

import math
from random import Random

# 1. Text and tokens. A token is a word; "." begins and ends a sentence.

SENTENCES = [
    f"{owner} {noun} is a {quality} {noun}"
    for owner in ("my", "your", "her", "our")
    for noun in ("cat", "dog", "bird", "fish", "horse")
    for quality in ("lovely", "happy", "sleepy", "clever")
]
VOCABULARY = [".", *sorted(set(" ".join(SENTENCES).split()))]
END = VOCABULARY.index(".")


def encode(text: str) -> list[int]:
    return [VOCABULARY.index(word) for word in text.split()]


def decode(ids: list[int]) -> str:
    return " ".join(VOCABULARY[i] for i in ids)


# 2. Autograd. Every result is recorded, and the chain rule goes back.

tape: list["Scalar"] = []  # the results since the last backward pass


class Scalar:
    """A number that knows from which numbers, its parents, it was computed.

    ``partials`` are its derivatives with respect to its parents. ``grad``
    is the loss's derivative with respect to it, after ``backward``.
    """

    __slots__ = ("data", "grad", "parents", "partials")

    def __init__(
        self,
        data: float,
        parents: tuple["Scalar", ...] = (),
        partials: tuple[float, ...] = (),
    ) -> None:
        self.data, self.grad = data, 0.0
        self.parents, self.partials = parents, partials
        if parents:
            tape.append(self)

    def __add__(self, other: "Scalar | float") -> "Scalar":
        if isinstance(other, Scalar):
            return Scalar(self.data + other.data, (self, other), (1.0, 1.0))
        return Scalar(self.data + other, (self,), (1.0,))

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        if isinstance(other, Scalar):
            partials = (other.data, self.data)
            return Scalar(self.data * other.data, (self, other), partials)
        return Scalar(self.data * other, (self,), (other,))

    def __pow__(self, n: float) -> "Scalar":
        return Scalar(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        return self + other * -1.0

    def __truediv__(self, other: "Scalar | float") -> "Scalar":
        return self * other**-1.0

    def exp(self) -> "Scalar":
        result = math.exp(self.data)
        return Scalar(result, (self,), (result,))

    def log(self) -> "Scalar":
        return Scalar(math.log(self.data), (self,), (1 / self.data,))

    def gelu(self) -> "Scalar":
        """x times the chance that a standard normal draw is below x."""
        x = self.data
        below = (1 + math.erf(x / math.sqrt(2))) / 2
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return Scalar(x * below, (self,), (below + x * density,))

    def backward(self) -> None:
        """Compute the grad of every number that this one depends on."""
        self.grad = 1.0
        for result in reversed(tape):  # parents come after children
            pairs = zip(result.parents, result.partials, strict=True)
            for parent, partial in pairs:
                parent.grad += partial * result.grad
        tape.clear()


# 3. Vectors, and the functions that a transformer is made of.

Vector = list[Scalar]
Matrix = list[Vector]  # a list of rows


def total(x: Vector) -> Scalar:
    return Scalar(math.fsum(a.data for a in x), tuple(x), (1.0,) * len(x))


def dot(x: Vector, y: Vector) -> Scalar:
    """All products and their sum in one step, for a shorter tape."""
    xs, ys = [a.data for a in x], [b.data for b in y]
    result = math.fsum([a * b for a, b in zip(xs, ys, strict=True)])
    return Scalar(result, (*x, *y), (*ys, *xs))


def linear(x: Vector, weight: Matrix) -> Vector:
    return [dot(x, row) for row in weight]


def add(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y, strict=True)]


def norm(x: Vector) -> Vector:
    """LayerNorm without gain and bias: mean 0 and variance 1."""
    mean = total(x) / len(x)
    centered = [a - mean for a in x]
    variance = dot(centered, centered) / len(x)
    scale = (variance + 1e-5) ** -0.5
    return [a * scale for a in centered]


def softmax(x: Vector) -> Vector:
    largest = max(a.data for a in x)  # so that exp cannot overflow
    exps = [(a - largest).exp() for a in x]
    scale = total(exps) ** -1.0
    return [a * scale for a in exps]


def cross_entropy(logits: Vector, target: int) -> Scalar:
    """-log softmax(logits)[target], without a logarithm of 0."""
    largest = max(z.data for z in logits)
    exps = [(z - largest).exp() for z in logits]
    return total(exps).log() + largest - logits[target]


# 4. The model: embeddings, blocks of attention and feed-forward, logits.


def normal(n: int, m: int, std: float, rng: Random) -> Matrix:
    """n rows of m random numbers."""
    return [[Scalar(rng.gauss(0, std)) for _ in range(m)] for _ in range(n)]


class Block:
    """Attention and a feed-forward network, each added to its input."""

    def __init__(self, D: int, L: int, H: int, rng: Random) -> None:
        self.n_heads = H
        self.query = normal(D, D, D**-0.5, rng)
        self.key = normal(D, D, D**-0.5, rng)
        self.value = normal(D, D, D**-0.5, rng)
        self.out = normal(D, D, (2 * L * D) ** -0.5, rng)
        self.up = normal(4 * D, D, D**-0.5, rng)
        self.down = normal(D, 4 * D, (2 * L * 4 * D) ** -0.5, rng)

    def weights(self) -> list[Matrix]:
        attention = [self.query, self.key, self.value, self.out]
        return [*attention, self.up, self.down]

    def __call__(self, x: Matrix) -> Matrix:
        attended = self.attend([norm(token) for token in x])
        x = [add(*pair) for pair in zip(x, attended, strict=True)]
        return [add(token, self.feed_forward(norm(token))) for token in x]

    def attend(self, x: Matrix) -> Matrix:
        q = [linear(token, self.query) for token in x]
        k = [linear(token, self.key) for token in x]
        v = [linear(token, self.value) for token in x]
        D = len(x[0])
        K = D // self.n_heads  # the width of a head
        result = []
        for t in range(len(x)):
            seen = range(t + 1)  # causal: this token and those before it
            joined = []  # the outputs of all heads, side by side
            for first in range(0, D, K):
                head = slice(first, first + K)
                scores = [dot(q[t][head], k[s][head]) for s in seen]
                weights = softmax([score / K**0.5 for score in scores])
                for i in range(first, first + K):
                    joined.append(dot(weights, [v[s][i] for s in seen]))
            result.append(linear(joined, self.out))
        return result

    def feed_forward(self, token: Vector) -> Vector:
        hidden = [unit.gelu() for unit in linear(token, self.up)]
        return linear(hidden, self.down)


class GPT:
    """Maps the ids of T tokens to T rows of logits, one for each next."""

    def __init__(
        self,
        V: int,  # tokens in the vocabulary
        D: int,  # numbers in a vector
        L: int,  # blocks
        H: int,  # heads in each of them
        T: int,  # positions at most
        rng: Random,
    ) -> None:
        self.tokens = normal(V, D, 0.1, rng)
        self.positions = normal(T, D, 0.1, rng)
        self.blocks = [Block(D, L, H, rng) for _ in range(L)]

    def parameters(self) -> list[Scalar]:
        weights = [self.tokens, self.positions]
        for block in self.blocks:
            weights += block.weights()
        return [number for w in weights for row in w for number in row]

    def __call__(self, ids: list[int]) -> Matrix:
        pairs = zip(ids, self.positions, strict=False)  # the first len(ids)
        x = [add(self.tokens[i], position) for i, position in pairs]
        for block in self.blocks:
            x = block(x)
        return [linear(norm(token), self.tokens) for token in x]


def loss_on(model: GPT, sentence: str) -> Scalar:
    """The mean cross-entropy of each token, given the tokens before it."""
    ids = [END, *encode(sentence), END]
    pairs = zip(model(ids[:-1]), ids[1:], strict=True)
    losses = [cross_entropy(logits, target) for logits, target in pairs]
    return total(losses) / len(losses)


# 5. Training.


class AdamW:
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        parameters: list[Scalar],
        betas: tuple[float, float] = (0.9, 0.95),
        eps: float = 1e-8,
        weight_decay: float = 0.1,
    ) -> None:
        self.parameters = parameters
        self.betas, self.eps, self.weight_decay = betas, eps, weight_decay
        self.m = [0.0] * len(parameters)  # running mean of the gradient
        self.v = [0.0] * len(parameters)  # and of its square
        self.steps = 0

    def step(self, lr: float) -> None:
        """Move every parameter against its gradient, and clear it."""
        self.steps += 1
        beta1, beta2 = self.betas
        for i, p in enumerate(self.parameters):
            self.m[i] += (1 - beta1) * (p.grad - self.m[i])
            self.v[i] += (1 - beta2) * (p.grad**2 - self.v[i])
            m = self.m[i] / (1 - beta1**self.steps)  # because m and v
            v = self.v[i] / (1 - beta2**self.steps)  # began at 0
            update = m / (math.sqrt(v) + self.eps)
            p.data -= lr * (update + self.weight_decay * p.data)
            p.grad = 0.0


def train(
    model: GPT,
    sentences: list[str],
    steps: int,
    lr: float,
    rng: Random,
) -> list[float]:
    """Take one step for each of many random sentences; return losses."""
    optimizer = AdamW(model.parameters())
    losses: list[float] = []
    for step in range(steps):
        loss = loss_on(model, rng.choice(sentences))
        loss.backward()
        optimizer.step(lr * (1 - step / steps))  # smaller and smaller
        losses.append(loss.data)
        if len(losses) % 100 == 0:
            mean = math.fsum(losses[-100:]) / 100
            print(f"steps {step - 98:3} to {step + 1}: loss {mean:.2f}")
    return losses


# 6. Writing.


def sample(logits: list[float], temperature: float, rng: Random) -> int:
    """Draw the next token; at temperature 0, take the most likely one."""
    largest = max(logits)
    if temperature == 0:
        return logits.index(largest)
    weights = [math.exp((z - largest) / temperature) for z in logits]
    return rng.choices(range(len(logits)), weights)[0]


def write(model: GPT, prompt: str, temperature: float, rng: Random) -> str:
    """Continue a sentence to its end, or as far as positions go."""
    ids = [END, *encode(prompt)]
    while len(ids) < len(model.positions):
        logits = [z.data for z in model(ids)[-1]]
        tape.clear()  # there is nothing to learn here
        ids.append(sample(logits, temperature, rng))
        if ids[-1] == END:
            break
    return decode(ids[1:])


def main() -> GPT:
    """Train on four fifths of the sentences and test on the rest."""
    rng = Random(0)
    sentences = rng.sample(SENTENCES, len(SENTENCES))
    held_out, learned = sentences[:16], sentences[16:]
    model = GPT(len(VOCABULARY), D=16, L=1, H=4, T=8, rng=rng)
    print("before:", write(model, "", 1.0, rng))
    train(model, learned, steps=800, lr=0.01, rng=rng)
    for _ in range(5):
        print("after:", write(model, "", 0.8, rng))
    beginnings = [text.rsplit(" ", 1)[0] for text in held_out]
    ends = [write(model, text, 0, rng) for text in beginnings]
    pairs = zip(ends, held_out, strict=True)
    right = sum(end == f"{text} ." for end, text in pairs)
    print(f"last word right in {right} of {len(held_out)} new sentences")
    return model


if __name__ == "__main__":
    main()
