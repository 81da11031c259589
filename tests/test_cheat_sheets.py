"""Each formula of the cheat sheets, written in NumPy as it stands there, is the package's function.

The sheets have no cells: they are for paper. So a formula that is changed on a sheet, or added, is
missing here until it is checked, or named among those that nothing computes in one call.
"""

import math
import re
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plainformer import assistant as S  # noqa: E402
from plainformer import attention as A  # noqa: E402
from plainformer import blocks as B  # noqa: E402
from plainformer import decoding as C  # noqa: E402
from plainformer import inputs as I  # noqa: E402
from plainformer import training as T  # noqa: E402

SHEETS = Path(__file__).parents[1] / "book" / "appendix"
FORMULA = re.compile(r"^## (.*?)$\n\n\$\$\n(.*?)\n\$\$", re.MULTILINE | re.DOTALL)
rng = np.random.default_rng(0)
same = np.testing.assert_allclose
CHECKS = {}


def formula(tex):
    """Note what checks a formula."""

    def note(check):
        CHECKS[tex] = check
        return check

    return note


def draw(*shape):
    return rng.normal(size=shape)


@formula(r"\text{text} \to \text{IDs } (T,), \quad 0 \le \text{ID} < V")
def tokens():
    tokenizer = I.CharTokenizer("abc")
    ids = tokenizer.encode("cab")
    assert len(ids) == 3 and all(0 <= each < len(tokenizer.vocab) for each in ids)


@formula(r"X = E[\text{IDs}] = \mathrm{onehot}(\text{IDs})\, E")
def embedding():
    E, ids = draw(7, 4), np.array([3, 0, 3])
    same(I.embed(ids, E), E[ids])
    same(I.one_hot(ids, 7) @ E, E[ids])


@formula(
    r"\begin{aligned} \omega_i &= 10000^{-2i/D} \\ \mathrm{PE}_{p,\,2i} &= \sin(p\,\omega_i) \\ "
    r"\mathrm{PE}_{p,\,2i+1} &= \cos(p\,\omega_i) \end{aligned}"
)
def positions():
    w = 10000.0 ** (-2 * np.arange(4) / 8)
    got = I.sinusoidal(5, 8)
    same(got[:, 0::2], np.sin(np.arange(5)[:, None] * w), atol=1e-12)
    same(got[:, 1::2], np.cos(np.arange(5)[:, None] * w), atol=1e-12)


@formula(
    r"\begin{aligned} q_m &\to R_m q_m, \quad k_n \to R_n k_n \\ (R_m q_m) \cdot (R_n k_n) &= "
    r"q_m \cdot R_{n-m} k_n \\ s_{ij} &\to s_{ij} - a_h\, \lvert i - j \rvert "
    r"\quad \text{(ALiBi)} \end{aligned}"
)
def relative_positions():
    q, k = draw(1, 8), draw(1, 8)

    def turned(x, by):
        return I.apply_rope(x, offset=by)[0]

    same(turned(q, 3) @ turned(k, 9), q[0] @ turned(k, 6))
    i, j = np.arange(5)[:, None], np.arange(5)
    bias, slopes = I.alibi_bias(4, 5), I.alibi_slopes(4)
    same(bias, -np.asarray(slopes)[:, None, None] * np.abs(i - j))


@formula(r"\mathrm{softmax}(s)_j = \frac{e^{s_j}}{\sum_i e^{s_i}}")
def softmax():
    s = draw(6)
    same(A.softmax(s), np.exp(s) / np.exp(s).sum())


@formula(r"o = \mathrm{softmax}\!\left(\frac{q k^\top}{\sqrt{K}}\right) v")
def self_attention():
    q, k, v = draw(3, 4), draw(5, 4), draw(5, 2)
    same(A.attention(q, k, v)[0], A.softmax(q @ k.T / math.sqrt(4)) @ v)


@formula(r"\partial s = a \odot \big(\partial a - \textstyle\sum_j \partial a_j\, a_j\big)")
def gradients():
    a, da = A.softmax(draw(3, 5)), draw(3, 5)
    same(A.softmax_backward(da, a), a * (da - (da * a).sum(-1, keepdims=True)))


@formula(r"s_{ij} \to -\infty \ \text{ where } j > i + \text{offset}")
def masking():
    i, j = np.arange(3)[:, None], np.arange(5)
    assert (A.causal_mask(3, 5, offset=2) == ~(j > i + 2)).all()


@formula(r"q = X_\text{target} W_q, \quad k, v = X_\text{source} W_{k}, X_\text{source} W_v")
def cross_attention():
    x, y, (wq, wk, wv) = draw(3, 4), draw(5, 4), draw(3, 4, 4)
    got, _ = A.multi_head_attention(x, y, wq, wk, wv, np.eye(4), n_heads=1)
    same(got, A.attention(x @ wq, y @ wk, y @ wv)[0])


@formula(r"\mathrm{concat}(o_0, \dots, o_{H-1})\, W_o")
def multi_head():
    x, (wq, wk, wv, wo) = draw(3, 4), draw(4, 4, 4)
    halves = (slice(0, 2), slice(2, 4))
    o = [A.attention(x @ wq[:, h], x @ wk[:, h], x @ wv[:, h])[0] for h in halves]
    got, _ = A.multi_head_attention(x, x, wq, wk, wv, wo, n_heads=2)
    same(got, np.concatenate(o, axis=-1) @ wo)


CONFIG = B.TransformerConfig(
    family="decoder", vocab_size=50, d_model=16, n_layers=3, n_heads=4, d_ff=64, n_kv_heads=2
)


@formula(r"\text{cache} = 2 \cdot L \cdot B \cdot G \cdot T \cdot K \ \text{ numbers}")
def cache():
    assert B.cache_bytes(CONFIG, 10, batch=5, bytes_per_number=1) == 2 * 3 * 5 * 2 * 10 * 4


@formula(r"y = \mathrm{act}(x W_{up} + b_{up})\, W_{down} + b_{down}")
def feed_forward():
    x, up, down, b, c = draw(3, 4), draw(4, 8), draw(8, 4), draw(8), draw(4)
    got = B.feed_forward(x, up, down, b_up=b, b_down=c, activation="relu")
    same(got, np.maximum(x @ up + b, 0) @ down + c)


@formula(r"y = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta")
def norm():
    x, gamma, beta = draw(3, 4), draw(4), draw(4)
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    want = gamma * (x - mean) / np.sqrt(variance + 0.1) + beta
    same(B.layer_norm(x, gamma, beta, eps=0.1), want)


@formula(
    r"\begin{aligned} x &\leftarrow x + \mathrm{MHA}(\mathrm{norm}(x)) \\ x &\leftarrow x + "
    r"\mathrm{FFN}(\mathrm{norm}(x)) \end{aligned}"
)
def encoder():
    config = B.TransformerConfig(
        family="encoder", vocab_size=9, d_model=8, n_layers=1, n_heads=2, d_ff=16
    )
    layer = B.EncoderLayer(config).double()
    x = torch.tensor(draw(1, 3, 8))
    parts = dict(layer.named_children())
    norms = [each for each in parts.values() if isinstance(each, B.LayerNorm)]
    (mix,) = [each for each in parts.values() if isinstance(each, A.MultiHeadAttention)]
    (grow,) = [each for each in parts.values() if isinstance(each, B.FeedForward)]
    with torch.no_grad():
        written = mix(norms[0](x))
        y = x + (written[0] if isinstance(written, tuple) else written)
        same(layer(x), y + grow(norms[1](y)), rtol=1e-6)


@formula(
    r"x \leftarrow x + \mathrm{att}(\mathrm{norm}\, x), "
    r"\quad x \leftarrow x + \mathrm{ffn}(\mathrm{norm}\, x)"
)
def whole_transformer():
    model, ids = B.DecoderOnly(CONFIG).eval(), torch.tensor([[3, 1, 4]])
    with torch.no_grad():
        x = model.embedding(ids)
        for layer in model.layers:
            x = x + layer.attention(layer.norm_1(x), causal=True)
            x = x + layer.feed_forward(layer.norm_2(x))
        same(model(ids), model.head(model.norm(x)), rtol=1e-4, atol=1e-5)


@formula(r"P \approx V D + 12\, L D^2, \quad C \approx 2 P + 4 L T D")
def what_it_costs():
    config = B.TransformerConfig(
        family="decoder", vocab_size=5000, d_model=256, n_layers=6, n_heads=8, d_ff=1024
    )
    V, L, D, length = 5000, 6, 256, 100
    P = sum(B.count_parameters(config).values())
    assert abs(P / (V * D + 12 * L * D**2) - 1) < 0.02
    C_ = sum(B.count_flops(config, length).values()) / length
    assert abs(C_ / (2 * P + 4 * L * length * D) - 1) < 0.02


@formula(r"z = \mathrm{norm}(x)\, E^\top")
def head():
    model = B.DecoderOnly(CONFIG).eval()
    steps = B.trace(model, torch.tensor([[3, 1, 4]]))
    with torch.no_grad():
        same(steps["logits"], steps["norm"] @ model.embedding.tokens.T, rtol=1e-4, atol=1e-5)


@formula(r"P(y \mid x) = \prod_t P(y_t \mid x, y_{<t})")
def next_token():
    model = C.NGramModel(2, vocab_size=4).fit([[0, 1, 2, 1, 3, 1, 2]])
    steps = [C.log_softmax(C.next_logits(model, np.array([[0, 1, 2][:n]])))[0] for n in (1, 2)]
    want = math.exp(steps[0][1]) * math.exp(steps[1][2])
    same(math.exp(C.sequence_log_prob(model, [0, 1, 2])), want)


@formula(r"p = \mathrm{softmax}(z / \tau)")
def temperature():
    z = draw(5)
    same(A.softmax(C.apply_temperature(z, 0.7)), A.softmax(z / 0.7))


@formula(
    r"\begin{aligned} z_i &- \alpha\, n_i && \text{frequency} \\ z_i &- \beta\, [n_i > 0] && "
    r"\text{presence} \\ z_i / \rho &\text{ or } z_i \rho && \text{repetition} \end{aligned}"
)
def penalties():
    z, n = np.array([2.0, -1.0, 3.0, -4.0]), np.array([2, 1, 0, 0])
    same(C.frequency_penalty(z, n, 0.3), z - 0.3 * n)
    same(C.presence_penalty(z, n, 0.3), z - 0.3 * (n > 0))
    same(C.repetition_penalty(z, n, 1.5), [2 / 1.5, -1.5, 3, -4])


@formula(r"\text{score}(y) = \frac{\ln P(y \mid x)}{\lvert y \rvert^{\alpha}}")
def search():
    model = C.NGramModel(2, vocab_size=4).fit([[0, 1, 2, 1, 3, 1, 2]])
    tree = C.beam_search(model, [0], num_beams=2, max_new_tokens=3, length_penalty=0.5)
    best = tree.hypotheses[0]
    same(best.normalised, C.sequence_log_prob(model, [0, *best.tokens]) / 3**0.5)


@formula(
    r"\begin{aligned} \text{top-}k &: \text{the } k \text{ largest} \\ \text{top-}p &: "
    r"\text{fewest that reach } p \\ \text{min-}p &: p_i \ge p \cdot \max_j p_j \end{aligned}"
)
def sampling():
    p = np.array([0.5, 0.3, 0.15, 0.05])
    z = np.log(p)
    assert np.isfinite(C.top_k(z, 3)).tolist() == [True, True, True, False]
    assert np.isfinite(C.top_p(z, 0.7)).tolist() == [True, True, False, False]
    assert (np.isfinite(C.min_p(z, 0.25)) == (p >= 0.25 * p.max())).all()


@formula(
    r"\text{loss} = -\frac1T \sum_t \ln p_t[\,y_t\,], \quad \text{perplexity} = e^{\text{loss}}"
)
def loss():
    z, y = draw(4, 6), np.array([1, 0, 5, 2])
    want = -np.mean([math.log(A.softmax(z[t])[y[t]]) for t in range(4)])
    same(T.cross_entropy(z, y), want)
    same(T.perplexity(float(want)), math.exp(want))


@formula(r"\bar x = \frac{\sum_t m_t x_t}{\sum_t m_t}, \quad z = \bar x\, W + b")
def classification():
    x, m = draw(2, 4, 3), np.array([[1, 1, 0, 0], [1, 1, 1, 1]], bool)
    want = (m[..., None] * x).sum(1) / m.sum(1, keepdims=True)
    same(T.masked_mean(x, m), want)


@formula(r"L = -\frac{\sum_t m_{t+1} \ln p_t[\,y_{t+1}\,]}{\sum_t m_{t+1}}")
def response_mask():
    z, y, m = draw(5, 6), np.array([1, 0, 5, 2, 4]), np.array([0, 0, 1, 0, 1], bool)
    want = -np.mean([math.log(A.softmax(z[t])[y[t + 1]]) for t in range(4) if m[t + 1]])
    same(T.cross_entropy(z[:-1], S.mask_targets(y, m), ignore_index=-100), want)


@formula(r"y = x \left(W + \frac{\alpha}{R} B A\right)^\top")
def low_rank():
    x, w, a, b = draw(3, 4), draw(5, 4), draw(2, 4), draw(5, 2)
    same(S.lora_linear(x, w, a, b, alpha=6.0), x @ (w + 6 / 2 * b @ a).T)


@formula(r"\text{pass@}k = 1 - \binom{n - c}{k} \Big/ \binom{n}{k}")
def pass_at_k():
    want = [1 - math.comb(7 - c, 3) / math.comb(7, 3) for c in range(8)]
    same(S.pass_at_k(np.arange(8), 7, 3), want)


@formula(
    r"L = -\frac1B \sum_i \frac1{T_i} \sum_t \min\big(\rho_{it}\, a_i,\ "
    r"\text{clip}(\rho_{it})\, a_i\big), \quad a_i = \frac{r_i - \text{mean}(r)}{\text{std}(r)}"
)
def grpo():
    now, old, r = draw(4, 3), draw(4, 3), np.array([1.0, 0, 0, 3])
    a = S.group_advantages(r, eps=0.0)
    same(a, (r - r.mean()) / r.std(ddof=1))
    m, rho = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]], bool), np.exp(now - old)
    gain = np.minimum(rho * a[:, None], np.clip(rho, 0.8, 1.2) * a[:, None])
    want = -np.mean([gain[i][m[i]].mean() for i in range(4)])
    same(S.grpo_loss(now, old, a, m), want)


@formula(
    r"L = -\ln \sigma\Big( \beta \ln \frac{p(y^+)}{p^\text{ref}(y^+)} "
    r"- \beta \ln \frac{p(y^-)}{p^\text{ref}(y^-)} \Big)"
)
def dpo():
    good, bad, ref_good, ref_bad = draw(4)
    margin = 0.5 * (good - ref_good) - 0.5 * (bad - ref_bad)
    got = S.dpo_loss([good], [bad], [ref_good], [ref_bad], beta=0.5)
    same(got, -math.log(1 / (1 + math.exp(-margin))))


@formula(
    r"z_\text{right} - z_\text{wrong} = \sum_p w_p \cdot g, "
    r"\quad g = \frac{\gamma \odot (E_\text{right} - E_\text{wrong})}{\text{RMS}(x)}"
)
def direct_attribution():
    config = B.TransformerConfig(
        family="decoder", vocab_size=7, d_model=8, n_layers=1, n_heads=2, d_ff=16, norm="rms",
        attention_bias=False, ff_bias=False,
    )  # fmt: skip
    model, ids = B.DecoderOnly(config), torch.tensor([[1, 2, 3]])
    right, wrong = torch.tensor([4]), torch.tensor([5])
    with torch.no_grad():
        steps = B.trace(model, ids)
    x, E = steps["layers.0.residual_2"][0, -1].numpy(), model.head.table.detach().numpy()
    rms = math.sqrt((x**2).mean() + config.norm_eps)
    g = model.norm.gamma.detach().numpy() * (E[4] - E[5]) / rms
    written = {
        "embedding": steps["embedding"],
        "layers.0.feed_forward": steps["layers.0.feed_forward.output"],
    }
    got = S.direct_attribution(model, ids, right, wrong)
    for name, w_p in written.items():
        same(got[name], w_p[0, -1].numpy() @ g, atol=1e-5)
    lead = S.logit_difference(steps["logits"][:, -1], right, wrong)
    same(sum(got.values()), lead, atol=1e-5)


@formula(r"a = \text{TopK}\big(W_e (x - c) + b\big), \quad \hat{x} = W_d\, a + c")
def sparse_autoencoder():
    sae = S.TopKAutoencoder(4, 6, 2, torch.Generator().manual_seed(0))
    w_e, b, c = (p.detach().numpy() for p in (sae.encoder, sae.bias, sae.centre))
    w_d, x = sae.decoder.detach().numpy().T, draw(4).astype(np.float32)
    scores = w_e @ (x - c) + b
    a = [s if s > 0 and s in sorted(scores)[-2:] else 0 for s in scores]
    same(sae.encode(torch.tensor(x)).detach(), a, atol=1e-5)
    same(sae(torch.tensor(x)).detach(), w_d @ np.array(a) + c, atol=1e-5)


NOT_ONE_CALL = {  # said in words and arrows, or computed by a whole run that its chapter checks
    "Decoder", "Published weights", "Sequence pairs", "Translation", "Many machines", "Capstone",
    "Fine-tuning",
}  # fmt: skip


def formulas():
    for sheet in sorted(SHEETS.glob("sheet_*.md")):
        for name, tex in FORMULA.findall(sheet.read_text("utf-8")):
            yield name, " ".join(tex.split())


def test_every_formula_of_a_sheet_is_checked():
    wanted = {tex: name for name, tex in formulas() if name not in NOT_ONE_CALL}
    assert len(wanted) > 20 and {name for name, _ in formulas()} >= NOT_ONE_CALL
    assert set(CHECKS) == set(wanted), set(CHECKS) ^ set(wanted)


@pytest.mark.parametrize("check", CHECKS.values(), ids=[each.__name__ for each in CHECKS.values()])
def test_a_formula_is_what_the_package_computes(check):
    check()
