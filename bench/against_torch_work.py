# What the works that bench/against_torch compares have in common, on PyTorch's side.
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_flush_denormal(True)
RATE = 1e-3
SMOOTHING = 0.1


def tensor(array):
    return torch.from_numpy(np.ascontiguousarray(array))


def leaf(array):
    return tensor(array).requires_grad_()


def parameter(array):
    return nn.Parameter(tensor(array))


def labels(array):
    return torch.from_numpy(array.astype(np.int64))


class Work:
    variants = [""]  # settings, of which the fastest is timed

    def select(self, variant):
        pass

    def settle(self, found, expected):
        """Takes from `expected` what neither side has to be right about."""


class Pass(Work):
    """Forward and backward; `leaves` maps a result's name to (leaf, how its gradient becomes ours)."""

    def clear(self):
        for value, _ in self.leaves.values():
            value.grad = None

    def run(self):
        self.clear()
        self.forward_backward()

    def results(self):
        self.clear()
        found = self.forward_backward()
        for name, (value, ours) in self.leaves.items():
            found["d_" + name] = ours(value.grad)
        return found


def same(x):
    return x


def transposed(x):
    return x.t()


class Training(Work):
    """Steps with Adam on one batch. Which loop of Adam is faster depends on the machine: both are tried."""

    variants = ["Adam one by one", "Adam foreach"]

    def select(self, variant):
        # A new optimizer starts from zero; what it costs does not depend on that.
        self.optimizer = torch.optim.Adam(self.net.parameters(), RATE, foreach="foreach" in variant)

    def backward(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss()
        loss.backward()
        return loss

    def loss(self):
        return F.cross_entropy(self.net(self.x), self.labels)

    def run(self):
        self.backward()
        self.optimizer.step()

    def results(self):
        self.select("")
        found, losses = {}, []
        for step in range(5):
            losses.append(self.backward().detach())
            if step == 0:
                found = {"d_" + name: ours(weight.grad) for name, (weight, ours) in self.weights.items()}
            self.optimizer.step()
        found["losses"] = torch.stack(losses)
        return found

    def load(self, data, layers):
        """layers: our name -> module"""
        self.weights = {}
        for name, module in layers.items():
            ours = transposed if isinstance(module, nn.Linear) else same
            module.weight = nn.Parameter(tensor(ours(tensor(data[name + ".weight"])).numpy()))
            module.bias = parameter(data[name + ".bias"])
            self.weights[name + ".weight"] = (module.weight, ours)
            self.weights[name + ".bias"] = (module.bias, same)
