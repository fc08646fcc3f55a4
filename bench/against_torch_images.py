# Models that look at pictures, as bench/against_torch compares them, in PyTorch: steps of training with Adam.
# The same in this library: against_torch_images.cc.
import math

import torch
import torch.nn.functional as F
from torch import nn

from against_torch_translate import BEGIN, END, Net, with_word
from against_torch_work import Training, labels, same, tensor

SIZE, SIGMA = 8, 0.1  # of a glimpse, of its place
PACE, EARLIER = 0.1, 0.3  # of choosing, of beliefs on the way


class GlimpseNet(Net):
    def __init__(self, data):
        super().__init__(data)
        for name in ("patch", "place", "what", "where", "core_glimpse", "core_state", "chooser_hidden", "chooser",
                     "baseline", "output"):
            setattr(self, name, self.linear(name))
        self.first, self.noise = tensor(data["first"]), tensor(data["noise"])
        steps = torch.arange(SIZE)
        self.dy, self.dx = steps.view(1, SIZE, 1), steps.view(1, 1, SIZE)

    def crop(self, padded, places, width, height):
        """Whole pixels; padded by SIZE on all sides."""
        extent = torch.tensor([width, height], dtype=torch.float32)
        begin = torch.floor((places + 1) / 2 * extent - SIZE / 2 + 0.5).long() + SIZE
        rows = torch.arange(padded.shape[0]).view(-1, 1, 1)
        return padded[rows, begin[:, 1].view(-1, 1, 1) + self.dy, begin[:, 0].view(-1, 1, 1) + self.dx].flatten(1)

    def forward(self, images):
        height, width = images.shape[2:]
        padded = F.pad(images[:, 0], [SIZE] * 4)
        state, log_p, baselines, logits, places = None, [], [], [], self.first
        for t in range(len(self.noise) + 1):
            if t > 0:
                seen = state.detach()
                known = F.layer_norm(seen, seen.shape[1:]) * PACE
                middle = torch.tanh(self.chooser(torch.tanh(self.chooser_hidden(known)) * PACE))
                drawn = (middle + self.noise[t - 1]).detach()
                log_p.append((((drawn - middle) / SIGMA) ** 2 * -0.5).sum(1))
                baselines.append(self.baseline(seen).squeeze(1))
                places = drawn.clamp(-1, 1)
            what = self.what(F.relu(self.patch(self.crop(padded, places, width, height))))
            glimpse = F.relu(what + self.where(F.relu(self.place(places))))
            new = self.core_glimpse(glimpse)
            state = F.relu(new if state is None else new + self.core_state(state))
            logits.append(self.output(state))
        return logits, torch.stack(log_p, 1), torch.stack(baselines, 1)


class Glimpses(Training):
    def __init__(self, data):
        self.net = GlimpseNet(data)
        self.weights = self.net.weights
        self.images, self.labels = tensor(data["images"]), labels(data["labels"])

    def loss(self):
        (*earlier, logits), log_p, baseline = self.net(self.images)
        reward = (logits.argmax(1) == self.labels).float().unsqueeze(1).expand_as(baseline)
        on_the_way = sum(F.cross_entropy(one, self.labels, reduction="sum") for one in earlier) / len(earlier)
        total = (F.cross_entropy(logits, self.labels, reduction="sum") + EARLIER * on_the_way
                 - ((reward - baseline.detach()) * log_p).sum() + ((baseline - reward) ** 2).sum())
        return total / len(self.labels)

    def settle(self, found, expected):
        """A picture that is almost told right may be so on one side only: a reward more or less, after the first step."""
        ours, theirs = tensor(expected["losses"]), found["losses"]
        apart = (ours - theirs).abs() / ours.abs().max()
        if apart[0] <= 1e-5 and apart.max() <= 0.05:
            found["losses"] = ours


def places(rows, columns):
    """Waves across the picture, as the library's place_features."""
    def waves(count):
        at = (2 * torch.arange(count, dtype=torch.float64) + 1) / count - 1
        parts = [at] + [wave(2 * math.pi * f * at) for f in (0.5, 1.0) for wave in (torch.sin, torch.cos)]
        return torch.stack(parts, 1)
    x, y = waves(columns), waves(rows)
    both = torch.cat([x.repeat(rows, 1), y.repeat_interleave(columns, 0)], 1)
    return both.float()


class CaptionNet(Net):
    def __init__(self, data):
        super().__init__(data)
        self.convs, self.norms = nn.ModuleList(), nn.ModuleList()
        for i in range(sum(1 for name in data if name.endswith(".conv.weight"))):
            out, into = data[f"encoder.layers.{i}.conv.weight"].shape[:2]
            conv, norm = nn.Conv2d(into, out, 4, stride=2, padding=1), nn.BatchNorm2d(out)
            self.put(conv, "weight", f"encoder.layers.{i}.conv.weight", same)
            self.put(conv, "bias", f"encoder.layers.{i}.conv.bias", same)
            self.put(norm, "weight", f"encoder.layers.{i}.norm.gain", same)
            self.put(norm, "bias", f"encoder.layers.{i}.norm.bias", same)
            self.convs.append(conv)
            self.norms.append(norm)
        self.words = self.table("words.table")
        self.start_state = nn.ModuleList(self.linear(f"start_state.{part}") for part in ("inner", "outer"))
        self.start_memory = nn.ModuleList(self.linear(f"start_memory.{part}") for part in ("inner", "outer"))
        self.query, self.key = self.linear("attention.query", bias=False), self.linear("attention.key")
        self.put(self, "score", "attention.weight", same)
        self.word_query, self.gate = self.linear("word_query", bias=False), self.linear("gate")
        dim, hidden = data["cell.input"].shape[0], data["cell.recurrent"].shape[0]
        self.cell = nn.LSTMCell(data["word.weight"].shape[0] + dim, hidden)
        self.put_joined(self.cell, "weight_ih", ["word.weight", "cell.input"], 1)
        self.put(self.cell, "weight_hh", "cell.recurrent")
        self.put(self.cell, "bias_ih", "cell.input_bias", same)
        self.put(self.cell, "bias_hh", "cell.recurrent_bias", same)
        self.speak_state, self.speak_context = self.linear("speak_state"), self.linear("speak_context", bias=False)
        self.output = self.linear("output")

    def annotate(self, x):
        for conv, norm in zip(self.convs, self.norms):
            x = F.relu(norm(conv(x)))
        where = places(*x.shape[2:]).expand(x.shape[0], -1, -1)
        return torch.cat([x.flatten(2).transpose(1, 2), where], 2)

    @staticmethod
    def through(mlp, x):
        return torch.tanh(mlp[1](torch.tanh(mlp[0](x))))

    def forward(self, pictures, said):
        regions = self.annotate(pictures)
        keys, middle = self.key(regions), regions.mean(1)
        h, c = self.through(self.start_state, middle), self.through(self.start_memory, middle)
        words, states, contexts, looks = self.words(said), [], [], []
        asked = self.word_query(words)
        for t, word in enumerate(words.unbind(1)):
            scores = torch.matmul(torch.tanh((self.query(h) + asked[:, t]).unsqueeze(1) + keys), self.score)
            weights = torch.softmax(scores, -1)
            context = torch.sigmoid(self.gate(h)) * torch.bmm(weights.unsqueeze(1), regions).squeeze(1)
            h, c = self.cell(torch.cat([word, context], 1), (h, c))
            states.append(h)
            contexts.append(context)
            looks.append(weights)
        spoken = words + self.speak_state(torch.stack(states, 1)) + self.speak_context(torch.stack(contexts, 1))
        return self.output(spoken), torch.stack(looks, 1)


class Captions(Training):
    def __init__(self, data):
        self.net = CaptionNet(data)
        self.weights = self.net.weights
        said = labels(data["caption_words"])
        self.pictures, self.said = tensor(data["pictures"]), with_word(said, first=BEGIN)
        self.labels = with_word(said, last=END)

    def loss(self):
        logits, weights = self.net(self.pictures, self.said)
        spoken = F.cross_entropy(logits.flatten(0, 1), self.labels.flatten(), reduction="sum")
        return (spoken + ((1 - weights.sum(1)) ** 2).sum()) / len(self.pictures)

    def settle(self, found, expected):
        """What batch norm or softmax takes away again has no gradient but rounding."""
        for name in found:
            if name.endswith(".conv.bias") or name.endswith(".key.bias"):
                nothing = 1e-3 * found[name.replace(".bias", ".weight")].abs().max()
                if found[name].abs().max() <= nothing and abs(expected[name]).max() <= nothing:
                    found[name] = tensor(expected[name])


MAKERS = {"glimpse": Glimpses, "caption": Captions}
