# The side of bench/against_torch that runs in PyTorch. It answers, line by line:
#   check WORK THREADS FOLDER   reads inputs.npz, does the work, compares with results.npz -> the largest
#                               difference, relative to the largest value of its array
#   time WORK THREADS SECONDS   -> of the calls, in ms: their median, the fastest, and the median of the
#                               processor time they took on all threads; then the settings chosen
# The same work in this library: against_torch.cc. Its weights are [in, out], PyTorch's [out, in].
import math
import sys
import time
from statistics import median

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import against_torch_images
import against_torch_translate
from against_torch_work import SMOOTHING, Pass, Training, labels, leaf, parameter, same, tensor, transposed


class Recurrent(Pass):
    # Time stands first, as PyTorch likes it.
    def __init__(self, data, kind, directions):
        self.net = kind(256, 512, bidirectional=directions == 2)
        self.x = leaf(data["x"].transpose(1, 0, 2))
        self.d_y = tensor(data["d_y"].transpose(1, 0, 2))
        self.leaves = {"x": (self.x, lambda g: g.transpose(0, 1))}
        for k in range(directions):
            suffix = "_l0" + ("_reverse" if k else "")
            for name, theirs, ours in (("input", "weight_ih", transposed), ("recurrent", "weight_hh", transposed),
                                       ("input_bias", "bias_ih", same), ("recurrent_bias", "bias_hh", same)):
                ours_name = f"direction.{k}.{name}"
                weight = getattr(self.net, theirs + suffix)
                with torch.no_grad():
                    weight.copy_(ours(tensor(data[ours_name])))
                self.leaves[ours_name] = (weight, ours)

    def forward_backward(self):
        y = self.net(self.x)[0]
        y.backward(self.d_y)
        return {"y": y.detach().transpose(0, 1)}


class Classifier(Pass):
    def __init__(self, data):
        self.x, self.gain, self.bias = leaf(data["x"]), leaf(data["norm.gain"]), leaf(data["norm.bias"])
        self.weight, self.out_bias = leaf(data["out.weight"].T), leaf(data["out.bias"])
        self.labels = labels(data["labels"])
        self.leaves = {"x": (self.x, same), "norm.gain": (self.gain, same), "norm.bias": (self.bias, same),
                       "out.weight": (self.weight, transposed), "out.bias": (self.out_bias, same)}

    def forward_backward(self):
        y = F.layer_norm(self.x, (128,), self.gain, self.bias)
        loss = F.cross_entropy(F.linear(y, self.weight, self.out_bias), self.labels, label_smoothing=SMOOTHING)
        loss.backward()
        return {"loss": loss.detach()}


class NormAndLoss(Pass):
    def __init__(self, data):
        self.x, self.gain, self.bias = leaf(data["x"]), leaf(data["gain"]), leaf(data["bias"])
        self.logits, self.d_y, self.labels = leaf(data["logits"]), tensor(data["d_y"]), labels(data["labels"])
        self.leaves = {"x": (self.x, same), "gain": (self.gain, same), "bias": (self.bias, same),
                       "logits": (self.logits, same)}

    def forward_backward(self):
        y = F.layer_norm(self.x, (128,), self.gain, self.bias)
        y.backward(self.d_y)
        loss = F.cross_entropy(self.logits, self.labels, label_smoothing=SMOOTHING)
        loss.backward()
        return {"y": y.detach(), "loss": loss.detach()}


class Linear(Pass):
    leaves = {}

    def __init__(self, data):
        self.x, self.weight, self.bias = tensor(data["x"]), tensor(data["weight"].T), tensor(data["bias"])

    def forward_backward(self):
        with torch.no_grad():
            return {"y": F.linear(self.x, self.weight, self.bias)}


class Cnn(Training):
    variants = [f"{layout}, {adam}" for layout in ("contiguous", "channels last") for adam in Training.variants]

    def __init__(self, data):
        first, second, out = nn.Conv2d(1, 32, 3, padding=1), nn.Conv2d(32, 64, 3, padding=1), nn.Linear(64 * 49, 10)
        self.net = nn.Sequential(first, nn.ReLU(), nn.MaxPool2d(2), second, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                 out)
        self.x, self.labels = tensor(data["images"]), labels(data["labels"])
        self.load(data, {"first": first, "second": second, "out": out})

    def select(self, variant):
        layout = torch.channels_last if "channels last" in variant else torch.contiguous_format
        self.net.to(memory_format=layout)
        self.x = self.x.contiguous(memory_format=layout)
        super().select(variant)


class Perceptron(Training):
    def __init__(self, data):
        first, second = nn.Linear(256, 256), nn.Linear(256, 256)
        self.net = nn.Sequential(first, nn.ReLU(), second)
        self.x, self.labels = tensor(data["x"]), labels(data["labels"])
        self.load(data, {"first": first, "second": second})


def attend(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) * (1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.matmul(torch.softmax(scores, -1), v)


class Attention(Pass):
    """Forward alone, by matrix products or by PyTorch's own function: whichever is faster."""

    variants = ["matrix products", "its own function"]
    leaves = {}

    def __init__(self, data, causal):
        self.q, self.k, self.v = tensor(data["q"]), tensor(data["k"]), tensor(data["v"])
        self.causal = causal
        self.mask = torch.ones(self.q.shape[2], self.k.shape[2], dtype=torch.bool).triu(1) if causal else None
        self.select("matrix products")

    def select(self, variant):
        self.own = variant == "its own function" and hasattr(F, "_scaled_dot_product_attention")

    def forward_backward(self):
        with torch.no_grad():
            if self.own:
                y = F._scaled_dot_product_attention(self.q, self.k, self.v, None, 0.0, False, self.causal)
                return {"y": y[0] if isinstance(y, tuple) else y}
            return {"y": attend(self.q, self.k, self.v, self.mask)}


class AttentionBack(Pass):
    def __init__(self, data, causal):
        self.q, self.k, self.v, self.d_y = leaf(data["q"]), leaf(data["k"]), leaf(data["v"]), tensor(data["d_y"])
        self.mask = torch.ones(self.q.shape[2], self.k.shape[2], dtype=torch.bool).triu(1) if causal else None
        self.leaves = {"q": (self.q, same), "k": (self.k, same), "v": (self.v, same)}

    def forward_backward(self):
        y = attend(self.q, self.k, self.v, self.mask)
        y.backward(self.d_y)
        return {"y": y.detach()}


class AdditiveBack(AttentionBack):
    def __init__(self, data):
        super().__init__(data, False)
        self.w = leaf(data["w"])
        self.leaves["w"] = (self.w, same)

    def forward_backward(self):
        scores = torch.matmul(torch.tanh(self.q.unsqueeze(3) + self.k.unsqueeze(2)), self.w)
        y = torch.matmul(torch.softmax(scores, -1), self.v)
        y.backward(self.d_y)
        return {"y": y.detach()}


class Decoder(Pass):
    """Steps of a GRU that reads a word and what additive attention finds."""

    def __init__(self, data):
        self.words, self.encoded, self.d_y = tensor(data["words"]), leaf(data["encoded"]), tensor(data["d_y"])
        hidden, dim = self.encoded.shape[2], self.words.shape[2]
        self.cell = nn.GRUCell(dim + hidden, hidden)
        self.query, self.key = nn.Linear(hidden, dim, bias=False), nn.Linear(hidden, dim)
        self.weight = nn.Parameter(tensor(data["attention.weight"]))
        layers = {"cell.input": (self.cell, "weight_ih", transposed), "cell.recurrent": (self.cell, "weight_hh", transposed),
                  "cell.input_bias": (self.cell, "bias_ih", same), "cell.recurrent_bias": (self.cell, "bias_hh", same),
                  "attention.query.weight": (self.query, "weight", transposed),
                  "attention.key.weight": (self.key, "weight", transposed), "attention.key.bias": (self.key, "bias", same)}
        self.leaves = {"encoded": (self.encoded, same), "attention.weight": (self.weight, same)}
        for name, (module, part, ours) in layers.items():
            setattr(module, part, nn.Parameter(ours(tensor(data[name])).contiguous()))
            self.leaves[name] = (getattr(module, part), ours)

    def forward_backward(self):
        keys = self.key(self.encoded)
        h, states = torch.zeros(self.words.shape[0], self.encoded.shape[2]), []
        for t in range(self.words.shape[1]):
            scores = torch.matmul(torch.tanh(self.query(h).unsqueeze(1) + keys), self.weight)
            context = torch.bmm(torch.softmax(scores, -1).unsqueeze(1), self.encoded).squeeze(1)
            h = self.cell(torch.cat([self.words[:, t], context], 1), h)
            states.append(h)
        y = torch.stack(states, 1)
        y.backward(self.d_y)
        return {"y": y.detach()}


ATTENTION = {
    "attend": Attention,
    "attend_back": AttentionBack,
    "additive_back": lambda data, causal: AdditiveBack(data),
    "decode": Attention,
    "decoder": lambda data, causal: Decoder(data),
}


def make(name, data):
    kind, colon, sizes = name.partition(":")
    return ATTENTION[kind](data, "causal" in sizes) if colon else MAKERS[name](data)


MAKERS = {
    "gru": lambda data: Recurrent(data, nn.GRU, 1),
    "bigru": lambda data: Recurrent(data, nn.GRU, 2),
    "lstm": lambda data: Recurrent(data, nn.LSTM, 1),
    "cnn": Cnn,
    "perceptron": Perceptron,
    "classifier": Classifier,
    "norm_and_loss": NormAndLoss,
    "linear": Linear,
    **against_torch_translate.MAKERS,
    **against_torch_images.MAKERS,
}
works = {}  # name -> work
chosen = {}  # (name, threads) -> variant


def check(name, folder):
    data = np.load(folder + "/inputs.npz")
    expected = np.load(folder + "/results.npz")
    works[name] = make(name, data)
    found = works[name].results()
    works[name].settle(found, expected)
    if set(found) != set(expected):
        raise RuntimeError(f"{name}: results differ in kind: {sorted(found)} and {sorted(expected)}")
    worst, where = 0.0, "-"
    for key, value in found.items():
        theirs, ours = value.numpy(), expected[key]
        if theirs.shape != ours.shape:
            raise RuntimeError(f"{name}: {key} is {theirs.shape} here and {ours.shape} there")
        difference = float(np.max(np.abs(theirs - ours)) / max(np.max(np.abs(theirs)), 1e-30))
        if not difference <= worst:
            worst, where = difference, key
    return f"{worst} {where}"


def measure(work, seconds):
    warm = time.perf_counter()
    work.run()
    if time.perf_counter() - warm < seconds / 4:
        work.run()
    times, processor_times = [], []
    begin = time.perf_counter()
    while len(times) < 2 or time.perf_counter() - begin < seconds:
        processor_start, start = time.process_time(), time.perf_counter()
        work.run()
        times.append((time.perf_counter() - start) * 1e3)
        processor_times.append((time.process_time() - processor_start) * 1e3)
    return median(times), min(times), median(processor_times)


def choose(work, seconds):
    """The fastest of the settings, tried in turns."""
    fastest = {}
    for _ in range(3 if len(work.variants) > 1 else 0):
        for variant in work.variants:
            work.select(variant)
            fastest[variant] = min(measure(work, seconds / 3)[1], fastest.get(variant, float("inf")))
    return min(fastest, key=fastest.get) if fastest else work.variants[0]


def timed(name, threads, seconds):
    work = works[name]
    if (name, threads) not in chosen:
        chosen[name, threads] = choose(work, seconds)
        work.select(chosen[name, threads])
    return "{} {} {} {}".format(*measure(work, seconds), chosen[name, threads])


for line in sys.stdin:
    try:
        verb, name, threads, rest = line.split()
        torch.set_num_threads(int(threads))
        answer = check(name, rest) if verb == "check" else timed(name, int(threads), float(rest))
    except Exception as error:  # the other side wants to know
        answer = f"error: {type(error).__name__}: {error}".replace("\n", " ")
    print(answer, flush=True)
