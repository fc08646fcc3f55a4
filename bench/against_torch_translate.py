# Translators, as bench/against_torch compares them, in PyTorch: steps of training with Adam, and decoding
# by beams with cached keys and values. The same in this library: against_torch_translate.cc.
import math

import torch
import torch.nn.functional as F
from torch import nn

from against_torch_work import SMOOTHING, Pass, Training, labels, same, tensor, transposed

BEGIN, END = 2, 3  # <s>, </s>
BEAMS, LONGEST = 5, 20
MODEL_DIM, INNER_DIM, HEADS, LAYERS = 128, 256, 4, 4


def with_word(words, first=None, last=None):
    column = torch.full((words.shape[0], 1), first if last is None else last)
    return torch.cat([column, words] if last is None else [words, column], 1)


class Net(nn.Module):
    """`weights` maps our names to (parameter, how its gradient becomes ours)."""

    def __init__(self, data):
        super().__init__()
        self.data, self.weights = data, {}

    def put(self, module, part, name, ours=transposed):
        setattr(module, part, nn.Parameter(ours(tensor(self.data[name])).contiguous()))
        self.weights[name] = (getattr(module, part), ours)

    def put_joined(self, module, part, names, axis):
        """Several of ours as one of theirs, one below the other (axis 0) or side by side."""
        blocks = [tensor(self.data[name]).t() for name in names]
        setattr(module, part, nn.Parameter(torch.cat(blocks, axis).contiguous()))
        begin = 0
        for name, block in zip(names, blocks):
            end = begin + block.shape[axis]
            self.weights[name] = (getattr(module, part),
                                  lambda g, b=begin, e=end: (g[b:e] if axis == 0 or g.dim() == 1 else g[:, b:e]).t())
            begin = end

    def linear(self, name, bias=True):
        out, into = self.data[name + ".weight"].T.shape
        layer = nn.Linear(into, out, bias)
        self.put(layer, "weight", name + ".weight")
        if bias:
            self.put(layer, "bias", name + ".bias", same)
        return layer

    def table(self, name):
        layer = nn.Embedding(*self.data[name].shape)
        self.put(layer, "weight", name, same)
        return layer


class RecurrentNet(Net):
    """Bidirectional GRU, additive attention, GRU; the output layer is the target's table."""

    def __init__(self, data):
        super().__init__(data)
        self.source, self.target = self.table("source.table"), self.table("target.table")
        self.encoder = nn.GRU(128, 256, bidirectional=True)
        for k, suffix in enumerate(("_l0", "_l0_reverse")):
            self.put_gates(self.encoder, f"encoder.layers.0.{k}", suffix)
            self.put(self.encoder, "weight_ih" + suffix, f"encoder.layers.0.{k}.input")
        self.encoder.flatten_parameters()
        self.start, self.readout = self.linear("start"), self.linear("readout")
        self.cell = nn.GRUCell(128 + 512, 256)
        self.put_gates(self.cell, "cells.0", "")
        self.put_joined(self.cell, "weight_ih", ["word.weight", "cells.0.input"], 1)
        self.query, self.key = self.linear("additive.query", bias=False), self.linear("additive.key")
        self.put(self, "score", "additive.weight", same)
        self.put(self, "bias", "output.bias", same)

    def put_gates(self, module, name, suffix):
        self.put(module, "weight_hh" + suffix, name + ".recurrent")
        self.put(module, "bias_ih" + suffix, name + ".input_bias", same)
        self.put(module, "bias_hh" + suffix, name + ".recurrent_bias", same)

    def encode(self, source):
        encoded, last = self.encoder(self.source(source.t()))  # time first, as PyTorch likes it
        encoded = encoded.transpose(0, 1).contiguous()
        return encoded, self.key(encoded), torch.tanh(self.start(torch.cat([last[0], last[1]], 1)))

    def speak(self, h, word, context):
        return F.linear(torch.tanh(self.readout(torch.cat([h, word, context], -1))), self.target.weight, self.bias)

    def forward(self, source, target):
        encoded, keys, h = self.encode(source)
        words, states, contexts = self.target(target), [], []
        for word in words.unbind(1):
            scores = torch.matmul(torch.tanh(self.query(h).unsqueeze(1) + keys), self.score)
            context = torch.bmm(torch.softmax(scores, -1).unsqueeze(1), encoded).squeeze(1)
            h = self.cell(torch.cat([word, context], 1), h)
            states.append(h)
            contexts.append(context)
        return self.speak(torch.stack(states, 1), words, torch.stack(contexts, 1))

    def begin(self, source):
        encoded, keys, h = self.encode(source)
        return {"encoded": encoded, "keys": keys.unsqueeze(1), "h": h.repeat_interleave(BEAMS, 0)}

    def step(self, state, words, t):
        """Beams of a sentence share its keys."""
        h, word, batch = state["h"], self.target(words), state["encoded"].shape[0]
        asked = self.query(h).view(batch, BEAMS, 1, -1)
        scores = torch.matmul(torch.tanh(asked + state["keys"]), self.score)
        context = torch.bmm(torch.softmax(scores, -1), state["encoded"]).view(batch * BEAMS, -1)
        state["h"] = self.cell(torch.cat([word, context], 1), h)
        return self.speak(state["h"], word, context)

    def reorder(self, state, rows):
        state["h"] = state["h"].index_select(0, rows)


def sinusoids(time):
    position, pair = torch.arange(time, dtype=torch.float64), torch.arange(0, MODEL_DIM, 2, dtype=torch.float64)
    angle = position[:, None] * 10000 ** (-pair / MODEL_DIM)
    return torch.stack([angle.sin(), angle.cos()], -1).view(time, MODEL_DIM).float()


def heads(x):
    return x.view(*x.shape[:2], HEADS, -1).transpose(1, 2)


def attend(q, k, v, mask=None):
    scores = torch.matmul(q * (1 / math.sqrt(MODEL_DIM // HEADS)), k.transpose(-2, -1))
    if mask is not None:
        scores = scores + mask
    return torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).flatten(2)


class TransformerNet(Net):
    """The weights stand in PyTorch's own layers, which run as they are, or by the functions below."""

    own = True

    def __init__(self, data):
        super().__init__(data)
        options = {"d_model": MODEL_DIM, "nhead": HEADS, "dim_feedforward": INNER_DIM, "dropout": 0.0, "batch_first": True}
        self.target = self.table("target.table")
        self.put(self, "bias", "output.bias", same)
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(**options) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(**options) for _ in range(LAYERS))
        for l, layer in enumerate(self.encoder):
            self.put_block(layer, f"encoder.{l}", {"self": "self_attn"},
                           {"after_self": "norm1", "after_feed_forward": "norm2"})
        for l, layer in enumerate(self.decoder):
            self.put_block(layer, f"decoder.{l}", {"self": "self_attn", "cross": "multihead_attn"},
                           {"after_self": "norm1", "after_cross": "norm2", "after_feed_forward": "norm3"})
        self.positions = sinusoids(64)
        self.later = torch.full((64, 64), float("-inf")).triu(1)

    def put_block(self, layer, name, attentions, norms):
        layer.linear1, layer.linear2 = self.linear(name + ".feed_forward.inner"), self.linear(name + ".feed_forward.outer")
        for ours, theirs in attentions.items():
            attention, parts = getattr(layer, theirs), [f"{name}.{ours}.{part}" for part in ("query", "key", "value")]
            self.put_joined(attention, "in_proj_weight", [part + ".weight" for part in parts], 0)
            self.put_joined(attention, "in_proj_bias", [part + ".bias" for part in parts], 0)
            self.put(attention.out_proj, "weight", f"{name}.{ours}.output.weight")
            self.put(attention.out_proj, "bias", f"{name}.{ours}.output.bias", same)
        for ours, theirs in norms.items():
            self.put(getattr(layer, theirs), "weight", f"{name}.{ours}.gain", same)
            self.put(getattr(layer, theirs), "bias", f"{name}.{ours}.bias", same)

    def embed(self, words, first=0):
        return self.target(words) * math.sqrt(MODEL_DIM) + self.positions[first:first + words.shape[1]]

    def encode(self, source):
        x = self.embed(source)
        for layer in self.encoder:
            if self.own:
                x = layer(x)
                continue
            q, k, v = map(heads, self.project(layer.self_attn, x, 0, 3).chunk(3, -1))
            x = layer.norm1(x + layer.self_attn.out_proj(attend(q, k, v)))
            x = layer.norm2(x + layer.linear2(F.relu(layer.linear1(x))))
        return x

    @staticmethod
    def project(attention, x, first, last):
        """Queries, keys and values are the parts 0, 1 and 2."""
        rows = slice(first * MODEL_DIM, last * MODEL_DIM)
        return F.linear(x, attention.in_proj_weight[rows], attention.in_proj_bias[rows])

    def speak(self, x):
        return F.linear(x, self.target.weight, self.bias)

    def decode(self, layer, x, q, k, v, mask, memory_key, memory_value):
        x = layer.norm1(x + layer.self_attn.out_proj(attend(q, k, v, mask).view_as(x)))
        asked = x.view(memory_key.shape[0], -1, MODEL_DIM)
        q = heads(self.project(layer.multihead_attn, asked, 0, 1))
        x = layer.norm2(x + layer.multihead_attn.out_proj(attend(q, memory_key, memory_value)).view_as(x))
        return layer.norm3(x + layer.linear2(F.relu(layer.linear1(x))))

    def forward(self, source, target):
        memory, x, mask = self.encode(source), self.embed(target), self.later[:target.shape[1], :target.shape[1]]
        for layer in self.decoder:
            if self.own:
                x = layer(x, memory, tgt_mask=mask)
                continue
            q, k, v = map(heads, self.project(layer.self_attn, x, 0, 3).chunk(3, -1))
            memory_key, memory_value = map(heads, self.project(layer.multihead_attn, memory, 1, 3).chunk(2, -1))
            x = self.decode(layer, x, q, k, v, mask, memory_key, memory_value)
        return self.speak(x)

    def begin(self, source):
        memory = self.encode(source)
        memories = [[heads(part).contiguous() for part in self.project(layer.multihead_attn, memory, 1, 3).chunk(2, -1)]
                    for layer in self.decoder]
        empty = torch.empty(source.shape[0] * BEAMS, HEADS, 0, MODEL_DIM // HEADS)
        return {"memories": memories, "past": [[empty, empty] for _ in self.decoder]}

    def step(self, state, words, t):
        x = self.embed(words.unsqueeze(1), t)
        for layer, memory, past in zip(self.decoder, state["memories"], state["past"]):
            q, k, v = map(heads, self.project(layer.self_attn, x, 0, 3).chunk(3, -1))
            past[0], past[1] = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
            x = self.decode(layer, x, q, *past, None, *memory)
        return self.speak(x.squeeze(1))

    def reorder(self, state, rows):
        state["past"] = [[part.index_select(0, rows) for part in past] for past in state["past"]]


class Step(Training):
    """A step of training; all sentences are as long, so nothing is padded."""

    def __init__(self, data, net, smoothing=0.0):
        self.net, self.smoothing = net(data), smoothing
        self.weights = self.net.weights
        words = labels(data["target_words"])
        self.source, self.target = with_word(labels(data["source_words"]), last=END), with_word(words, first=BEGIN)
        self.labels = with_word(words, last=END).flatten()

    def loss(self):
        return F.cross_entropy(self.net(self.source, self.target).flatten(0, 1), self.labels,
                               label_smoothing=self.smoothing)


class TransformerStep(Step):
    variants = [f"{layers}, {adam}" for layers in ("nn.Transformer layers", "layers by hand") for adam in Training.variants]

    def __init__(self, data):
        super().__init__(data, TransformerNet, SMOOTHING)

    def select(self, variant):
        self.net.own = "nn." in variant
        super().select(variant)

    def settle(self, found, expected):
        """What is added to all keys alike changes no weight: its gradient is nothing but rounding."""
        for name in found:
            if name.endswith(".key.bias"):
                nothing = 1e-3 * found[name.replace(".key.", ".query.")].abs().max()
                if found[name].abs().max() <= nothing and abs(expected[name]).max() <= nothing:
                    found[name] = tensor(expected[name])


class Beam(Pass):
    """The best of 5 beams after 20 words, of all sentences at once."""

    variants = ["log_softmax of all", "logsumexp and the best of each beam"]
    leaves = {}

    def __init__(self, data, net):
        self.net, self.source = net(data).eval(), with_word(labels(data["source_words"]), last=END)
        self.select(self.variants[0])

    def select(self, variant):
        self.by_beam = "logsumexp" in variant

    def best(self, logits, score):
        """score [batch, beam] -> the best scores [batch, beam], the beams they come from, their words."""
        batch, vocab = score.shape[0], logits.shape[1]
        if not self.by_beam:
            total = F.log_softmax(logits, -1).view(batch, BEAMS, vocab).add_(score.unsqueeze(-1))
            score, at = total.view(batch, -1).topk(BEAMS)
            return score, torch.div(at, vocab, rounding_mode="floor"), at % vocab
        some, words = logits.topk(BEAMS)
        some = some - logits.logsumexp(-1, keepdim=True) + score.view(-1, 1)
        score, at = some.view(batch, -1).topk(BEAMS)
        return score, torch.div(at, BEAMS, rounding_mode="floor"), words.view(batch, -1).gather(1, at)

    def forward_backward(self):
        with torch.inference_mode():
            batch = self.source.shape[0]
            state, first_rows = self.net.begin(self.source), torch.arange(batch).unsqueeze(1) * BEAMS
            last, said = torch.full((batch * BEAMS,), BEGIN), torch.empty(batch * BEAMS, 0, dtype=torch.int64)
            score = torch.full((batch, BEAMS), float("-inf"))  # one beam to begin with
            score[:, 0] = 0
            for t in range(LONGEST):
                score, beams, words = self.best(self.net.step(state, last, t), score)
                rows, last = (first_rows + beams).flatten(), words.flatten()
                if t + 1 < LONGEST:
                    self.net.reorder(state, rows)
                said = torch.cat([said[rows], last.unsqueeze(1)], 1)
            return {"words": said.view(batch, BEAMS, -1)[:, 0].float(), "log_probability": score[:, 0]}

    def settle(self, found, expected):
        """A few sentences may have other words that are as probable, but for rounding."""
        words, probable = tensor(expected["words"]), tensor(expected["log_probability"])
        ties = (found["words"] != words).any(1) & ((found["log_probability"] - probable).abs() <= 1e-6 * probable.abs())
        if ties.sum() <= 2:
            found["words"] = torch.where(ties.unsqueeze(1), words, found["words"])


MAKERS = {
    "translate_rnn": lambda data: Step(data, RecurrentNet),
    "translate_transformer": TransformerStep,
    "beam_rnn": lambda data: Beam(data, RecurrentNet),
    "beam_transformer": lambda data: Beam(data, TransformerNet),
}
