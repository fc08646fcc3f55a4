"""The ONNX Attention operator (opset 23 and 24), written down from its definition, against `fovea attend`."""
import itertools
import os
import subprocess
import sys

import numpy as np

FOVEA = os.environ["FOVEA_PROGRAM"]
RNG = np.random.default_rng(7)


def uniform(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def heads_of(x, count):
    """Tokens [batch, time, head * dim] as [batch, head, time, dim]."""
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(0, 2, 1, 3)


def present(new, past, count):
    """Keys or values with those of before."""
    heads = heads_of(new, count) if new.ndim == 3 else new
    return heads if past is None else np.concatenate([past, heads], axis=2)


def padded(mask, keys):
    """A mask may tell of fewer keys than there are: the others are hidden."""
    missing = keys - mask.shape[-1]
    hidden = False if mask.dtype == bool else -np.inf
    return np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=hidden)


def offsets_of(case, queries):
    """Where query 0 stands among the keys, for each batch."""
    if case.get("past") is not None:
        return np.full(case["q"].shape[0], case["past"][0].shape[2])
    if case.get("nonpad") is not None:
        return case["nonpad"] - queries
    return np.zeros(case["q"].shape[0], int)


def operator(case):
    """Y and the four stages that qk_matmul_output can show: scores, capped, biased, weights."""
    q_heads, kv_heads = case.get("heads", (None, None))
    q = heads_of(case["q"], q_heads) if case["q"].ndim == 3 else case["q"]
    past_k, past_v = case.get("past") or (None, None)
    k, v = present(case["k"], past_k, kv_heads), present(case["v"], past_v, kv_heads)
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat(group, axis=1), v.repeat(group, axis=1)
    queries, keys = q.shape[2], k.shape[2]
    scale = case.get("scale", 1 / np.sqrt(q.shape[3]))
    cap = case.get("softcap", 0)
    capped_of = lambda x: cap * np.tanh(x / cap) if cap else x

    visible = np.ones((q.shape[0], 1, queries, keys), bool)
    bias = np.zeros((), np.float32)
    if case.get("mask") is not None:
        mask = padded(case["mask"], keys)
        if mask.dtype == bool:
            visible = visible & mask
        else:
            bias = mask
    at = np.arange(queries)[:, None] + offsets_of(case, queries)[:, None, None, None]
    if case.get("causal"):
        visible = visible & (np.arange(keys) <= at)
    if case.get("window"):
        visible = visible & (np.arange(keys) <= at) & (np.arange(keys) > at - case["window"])
    if case.get("nonpad") is not None:
        visible = visible & (np.arange(keys) < case["nonpad"][:, None, None, None])
    visible = visible & (bias != -np.inf)

    scores = scale * (q.astype(np.float64) @ k.swapaxes(-1, -2))
    finite = np.where(bias == -np.inf, 0, bias)
    biased = capped_of(scores) + finite if case.get("bias_after_cap") else capped_of(scores + finite)
    biased = np.where(visible, biased, -np.inf)
    most = biased.max(-1, keepdims=True)
    weights = np.exp(biased - np.where(np.isfinite(most), most, 0))
    total = weights.sum(-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    y = weights @ v
    if case["q"].ndim == 3:
        y = y.transpose(0, 2, 1, 3).reshape(y.shape[0], queries, -1)
    return {"y": y, "scores": scores, "capped": capped_of(scores), "biased": biased, "weights": weights}


def fovea(case, files):
    """The same through the program: files is {option: name}."""
    arrays = {"query": case["q"], "key": case["k"], "value": case["v"]}
    options = []
    keys = case["k"].shape[1 if case["k"].ndim == 3 else 2]
    past = case.get("past")
    if past is not None:
        kv_heads = case.get("heads", (None, None))[1]
        arrays["key"] = present(case["k"], past[0], kv_heads)
        arrays["value"] = present(case["v"], past[1], kv_heads)
        keys += past[0].shape[2]
    if "heads" in case:
        options += ["--heads", str(case["heads"][0]), "--kv-heads", str(case["heads"][1])]
    for name in ("scale", "softcap"):
        if name in case:
            options += [f"--{name}", str(case[name])]
    if case.get("mask") is not None:
        mask = padded(case["mask"], keys)
        arrays["visible" if mask.dtype == bool else "bias"] = mask
    if case.get("causal"):
        options += ["--causal"]
    if case.get("window"):
        options += ["--window", f"{case['window'] - 1},0"]
    if (case.get("causal") or case.get("window")) and past is not None:
        options += ["--offset", str(past[0].shape[2])]
    if case.get("nonpad") is not None:
        arrays["lengths"] = case["nonpad"]
        if case.get("causal"):
            queries = case["q"].shape[1 if case["q"].ndim == 3 else 2]
            arrays["offsets"] = case["nonpad"] - queries
    if case.get("bias_after_cap"):
        options += ["--bias-after-cap"]
    for option, array in arrays.items():
        np.save(f"{option}.npy", array)
        options += [f"--{option}", f"{option}.npy"]
    for option, name in files.items():
        options += [f"--{option}", name]
    subprocess.run([FOVEA, "attend", *options], check=True, stderr=subprocess.DEVNULL)
    return {option: np.load(name) for option, name in files.items()}


def check(name, case, tolerance=2e-6):
    expected = operator(case)
    got = fovea(case, {"out": "o.npy", "scores": "s.npy", "weights": "w.npy"})
    for option, stage in (("out", "y"), ("scores", "biased"), ("weights", "weights")):
        assert got[option].shape == expected[stage].shape, f"{name}: shape of {stage}"
        np.testing.assert_allclose(got[option], expected[stage], tolerance, tolerance, err_msg=f"{name}: {stage}")
    if "mask" in case or "softcap" not in case:
        return
    # The stages before the mask: a call without mask (and cap), its --scores.
    plain = {key: case[key] for key in case if key in ("q", "k", "v", "past", "heads", "scale")}
    for stage, more in (("scores", {}), ("capped", {"softcap": case.get("softcap", 0)})):
        got = fovea(plain | more, {"scores": "s.npy"})["scores"]
        np.testing.assert_allclose(got, expected[stage], tolerance, tolerance, err_msg=f"{name}: {stage}")


def inputs(kind, queries=4, keys=6, past=0, value_dim=8):
    """4d, 4d_gqa, 4d_mqa, 3d, 3d_gqa and so on."""
    q_heads, kv_heads = {"gqa": (9, 3), "mqa": (4, 1)}.get(kind[3:], (3, 3))
    if kind.startswith("4d"):
        case = {"q": uniform(2, q_heads, queries, 8), "k": uniform(2, kv_heads, keys, 8),
                "v": uniform(2, kv_heads, keys, value_dim)}
    else:
        case = {"q": uniform(2, queries, q_heads * 8), "k": uniform(2, keys, kv_heads * 8),
                "v": uniform(2, keys, kv_heads * value_dim), "heads": (q_heads, kv_heads)}
    if past:
        case["past"] = (uniform(2, kv_heads, past, 8), uniform(2, kv_heads, past, value_dim))
    return case, q_heads


def families():
    for kind, value_dim, past in itertools.product(
            ("4d", "4d_gqa", "4d_mqa", "3d", "3d_gqa"), (8, 10), (0, 12)):
        case, q_heads = inputs(kind, past=past, value_dim=value_dim)
        name = f"attention_{kind}" + ("_diff_heads" if value_dim != 8 else "") + ("_with_past" if past else "")
        keys = 6 + past
        yield name, case
        yield name + "_scaled", case | {"scale": 0.01}
        yield name + "_softcap", case | {"softcap": 2.0, "scale": 3.0}
        yield name + "_causal", case | {"causal": 1}
        yield name + "_window", case | {"window": 3}
        for shape in ((4, keys), (q_heads, 4, keys), (2, 1, 4, keys), (2, q_heads, 4, keys), (4, keys - 2)):
            boolean, added = RNG.random(shape) > 0.4, uniform(*shape)
            hiding = np.where(RNG.random(shape) > 0.3, added, np.float32(-np.inf))
            sign = f"{name}_mask_{'x'.join(map(str, shape))}"
            yield sign + "_bool", case | {"mask": boolean}
            yield sign + "_bool_causal", case | {"mask": boolean, "causal": 1}
            yield sign + "_float", case | {"mask": added}
            yield sign + "_float_causal_softcap", case | {"mask": hiding, "causal": 1, "softcap": 0.5}
            yield sign + "_float_after_softcap", case | {"mask": hiding, "softcap": 0.5, "bias_after_cap": 1}
    for kind in ("4d", "4d_gqa", "3d_gqa"):  # keys and values in a cache that is not full
        for queries, lengths in ((1, [6, 3]), (2, [4, 5]), (4, [6, 2])):
            case, _ = inputs(kind, queries=queries)
            case["nonpad"] = np.array(lengths)
            name = f"attention_{kind}_nonpad_{queries}"
            yield name, case
            yield name + "_causal", case | {"causal": 1}
            yield name + "_causal_mask", case | {"causal": 1, "mask": RNG.random((2, 1, queries, 6)) > 0.3}
    empty = np.array([[True, False], [False, False]])  # query 1 sees nothing: zeros
    case = {"q": uniform(1, 2, 2, 8), "k": uniform(1, 2, 2, 8), "v": uniform(1, 2, 2, 8)}
    yield "attention_fully_masked_row", case | {"mask": empty, "causal": 1}
    half = {name: array.astype(np.float16) for name, array in case.items()}
    yield "attention_fp16", half


def main():
    count = 0
    for name, case in families():
        check(name, case)
        count += 1
    assert count > 500, count
    # It can fail: the two orders of bias and cap differ, and so do the two ends a causal mask may start from.
    case, _ = inputs("4d")
    for wrong in ({"mask": uniform(4, 6), "softcap": 0.5, "bias_after_cap": 1}, {"causal": 1, "nonpad": np.array([6, 5])}):
        right = operator(case | wrong)["y"]
        other = dict(case | wrong)
        other.pop("bias_after_cap" if "softcap" in wrong else "causal")
        assert np.abs(fovea(other, {"out": "o.npy"})["out"] - right).max() > 1e-3
    print(f"{count} cases agree")


if __name__ == "__main__":
    sys.exit(main())
