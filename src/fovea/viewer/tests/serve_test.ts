// The page on the real server, held against what the program says of the same models.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { readTrace, type Trace } from "../app/trace";
import { drawable } from "../app/words";
import { downloaded, eventually, gridWeights, has, launch, says, text, visit } from "./browser";
import { fovea, npy, npyNumbers, serve, type Served, train, trainGlimpse } from "./program";

const scratch = mkdtempSync(path.join(tmpdir(), "fovea-serve-"));
const kSentence = "the small cat sees the garden";
const asked = `t=${kSentence.replace(/ /g, "+")}`;
let browser: Browser;
let server: Served;
let models: ReturnType<typeof train>;

before(async () => {
  models = train(scratch);
  server = await serve([...Object.values(models), trainGlimpse(scratch)]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  const code = await server?.stop();
  rmSync(scratch, { recursive: true });
  assert.equal(code, 0, "SIGTERM ends the server in order");
});

const view = (hash: string, use: (page: Page) => Promise<void>) => visit(browser, server.url + hash, use);

// What the program writes of the same sentence.
const explained = (model: string): Trace => readTrace(JSON.parse(fovea("explain", model, kSentence, "--json", "-")));

// What the API answers, without the page.
async function answered(request: Record<string, unknown>): Promise<Trace> {
  const response = await fetch(`${server.url}api/explain`, { method: "POST", body: JSON.stringify(request) });
  return readTrace(await response.json());
}

// The same numbers, up to the digits they are written with.
function same(found: (number | null)[][], expected: (number | null)[][], what: string, digits = 5) {
  assert.deepEqual([found.length, found[0]?.length], [expected.length, expected[0]?.length], what);
  found.forEach((row, q) =>
    row.forEach((value, k) => {
      const other = expected[q]![k] ?? 0;
      assert(
        Math.abs((value ?? 0) - other) < 10 ** -digits,
        `${what}: [${q}][${k}] is ${value}, the program says ${other}`,
      );
    }),
  );
}

test("translate: translation, pieces and words are the program's", () =>
  view(`#/translate?m=bahdanau&${asked}&u=pieces`, async (page) => {
    const trace = explained(models.bahdanau);
    same(await gridWeights(page, /^Alignment/), trace.heads[0]!.weights, "pieces");
    await says(page.locator(".sentence.said"), drawable(trace, trace.heads, "pieces")!.queries.join(" "));

    await page.getByRole("gridcell").nth(1).click();
    const { weights, scores } = trace.heads[0]!;
    await says(page.locator('[data-number="weight"]'), `${(100 * weights[0]![1]!).toFixed(2)} %`);
    await says(page.locator('[data-number="score"]'), scores[0]![1]!.toFixed(4).replace("-", "−"));

    await page.getByText("Words", { exact: true }).click();
    const aligned = JSON.parse(fovea("run", models.bahdanau, kSentence, "--json", "--align"));
    const [best] = aligned.translations ?? [aligned];
    await says(page.locator(".sentence.said"), best.text);
    same(await gridWeights(page, /^Alignment/), best.weights ?? aligned.weights, "words", 4);
  }));

test("translate: typing asks the real model", () =>
  view("#/translate?m=bahdanau", async (page) => {
    await page.getByLabel("Sentence", { exact: true }).fill("the old dog sees the horse");
    const said = fovea("run", models.bahdanau, "the old dog sees the horse").trim();
    await page.locator(".sentence.said", { hasText: said.split(" ")[0]! }).waitFor();
    await says(page.locator(".sentence.said"), said);
  }));

test("steps: candidates and weights are the program's; the fixed model stands beside", () =>
  view(`#/steps?m=bahdanau&${asked}&i=1&s=4`, async (page) => {
    const trace = explained(models.bahdanau);
    const story = page.locator(".model-story").first();
    await story.locator(".candidates .small-number").first().waitFor();
    const shown = await story.locator(".candidates .small-number").allTextContents();
    assert.deepEqual(
      shown,
      trace.steps[1]!.choices.slice(0, 5).map((one) => `${(100 * one.probability).toFixed(1)} %`),
    );
    await eventually(async () => assert((await story.locator(".stage").first().locator("rect").count()) > 20));
    const other = page.locator(".model-story").nth(1);
    await says(other.locator("h2"), /fixed/);
    assert.match(await other.locator("svg").last().innerHTML(), /does not look back/);
    await page.locator("h1").click();
    await page.keyboard.press("ArrowRight");
    await says(page.locator(".player [role=status]"), /Word 3 of/);
  }));

test("heads: encoder, decoder and cross of the transformer are the program's", () =>
  view(`#/heads?m=transformer&${asked}&layer=1&head=1`, async (page) => {
    const trace = explained(models.transformer);
    for (const [kind, name] of [
      ["cross", "Cross"],
      ["encoder", "Encoder"],
      ["decoder", "Decoder"],
    ] as const) {
      await page.getByText(name, { exact: true }).click();
      await page.getByRole("radio", { name: "Layer 2, head 2" }).click();
      const head = trace.heads.find((one) => one.kind === kind && one.layer === 1 && one.head === 1)!;
      same(await gridWeights(page, /^Layer 2, head 2/), head.weights, kind);
    }
  }));

test("without attention: every method of both models, with the library's figures", async () => {
  for (const kind of ["bahdanau", "fixed"] as const) {
    const trace = await answered({ model: kind, input: kSentence, methods: ["all"], check: true });
    await view(`#/without?m=${kind}&${asked}&check=1&u=pieces`, async (page) => {
      await page.locator("[data-figure=deletion]").first().waitFor({ timeout: 60_000 });
      await says(
        page.locator(".card h2"),
        trace.methods.map((one) => one.name),
      );
      for (const method of trace.methods) {
        same(await gridWeights(page, new RegExp(`^${method.name}:`)), method.weights, method.name);
        const card = page.getByRole("region", { name: method.name, exact: true });
        for (const { name, value } of method.figures) {
          const shown = await text(card.locator(`[data-figure="${name}"]`));
          assert.equal(shown, value === null ? "–" : value.toFixed(3).replace("-", "−"), `${method.name}, ${name}`);
        }
      }
    });
  }
});

test("learn: numbers are those of fovea attend, and follow a key press", () =>
  view("#/learn", async (page) => {
    const weights = async () => {
      const shown = await page.locator("td[data-weight]").allInnerTexts();
      return shown.map((one) => Number.parseFloat(one));
    };
    const expected = (query: number[]) => {
      const keys = [
        [1.2, 1.4],
        [1.6, 0.3],
        [-1.2, 1.1],
        [-1.5, -0.5],
      ];
      const file = (name: string) => path.join(scratch, `${name}.npy`);
      writeFileSync(file("q"), npy([query]));
      writeFileSync(file("k"), npy(keys));
      fovea(
        "attend",
        "--query",
        file("q"),
        "--key",
        file("k"),
        "--value",
        file("k"),
        "--score",
        "dot",
        "--weights",
        file("w"),
        "--out",
        file("o"),
      );
      return npyNumbers(readFileSync(file("w"))).map((one) => Number((100 * one).toFixed(1)));
    };
    await page.locator("td[data-weight]").first().waitFor();
    await page.waitForFunction(() => !document.querySelector("td[data-weight]")!.textContent!.includes("–"));
    await eventually(async () => assert.deepEqual(await weights(), expected([1.1, 0.9])));
    const before = (await weights())[0];
    await page.getByRole("slider", { name: /^query/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(
      (old) => Number.parseFloat(document.querySelector("td[data-weight]")!.textContent!) !== old,
      before,
    );
    await eventually(async () => assert.deepEqual(await weights(), expected([1.0, 0.9])));
    for (let lesson = 2; lesson <= 8; ++lesson) {
      await page.getByRole("link", { name: /^Next/ }).click();
      await page.locator("h2.lesson-title .number", { hasText: String(lesson) }).waitFor();
      await page.locator(".weights td, .chart path, [role=gridcell], .answer span, [data-tile]").first().waitFor();
      await has(page.locator(".error"), 0);
    }
  }));

test("learn: every score the page offers is one the library has", () =>
  view("#/learn?lesson=2", async (page) => {
    const select = page.getByLabel("Score", { exact: true });
    await select.waitFor();
    for (const option of await select.locator("option").all()) {
      await select.selectOption(await option.getAttribute("value"));
      await page.waitForTimeout(250);
      await has(page.locator(".error"), 0, String(await option.getAttribute("value")));
    }
  }));

test("glimpse: the built-in digits, the path and beliefs are the library's", () =>
  view("#/glimpse?p=digit:7&i=4", async (page) => {
    const trace = await answered({ model: "glimpse", image: "digit:7" });
    await page.locator(".path .stop").first().waitFor();
    await has(page.locator(".thumbnail"), 12);
    await has(page.locator(".path .stop"), 5);
    const shown = await page
      .locator(".distribution [data-choice]")
      .evaluateAll((all) => all.map((one) => [one.getAttribute("data-choice"), one.textContent]));
    const digits = [...trace.steps[4]!.choices].sort((a, b) => Number(a.text) - Number(b.text));
    assert.deepEqual(
      shown,
      digits.map(({ text, probability }) => [text, `${(100 * probability).toFixed(1)} %`]),
    );
    assert.equal(await page.locator(".truth text").textContent(), "7");
    // A picture of one's own is looked at as well.
    await page.locator('input[type="file"]').setInputFiles({
      name: "seven.png",
      mimeType: "image/png",
      buffer: Buffer.from(trace.image!.png, "base64"),
    });
    await page.locator(".upload.chosen img").waitFor();
    await page.waitForFunction(() => !document.querySelector(".truth"));
    await has(page.locator(".path .stop"), 1);
    await has(page.locator(".error"), 0);
  }));

test("learn: the sampled gradient of the library comes to the exact one", () =>
  view("#/learn?lesson=8&n=12&base=yes", async (page) => {
    await page.locator('[data-number="distance"]').waitFor();
    assert(Number.parseFloat(await text(page.locator('[data-number="distance"]'))) < 0.02);
    const reward = Number.parseFloat(await text(page.locator('[data-number="reward"]')));
    await page.getByRole("button", { name: "Learn from the exact gradient" }).click();
    await page.waitForFunction(
      (than) => Number.parseFloat(document.querySelector('[data-number="reward"]')!.textContent!) > than,
      reward,
    );
  }));

test("a token in the address opens the page, and is no part of an address to share", async () => {
  const guarded = await serve([models.bahdanau], ["--token", "open+sesame"]);
  try {
    await visit(browser, `${guarded.url}?token=open%2Bsesame#/translate?${asked}`, async (page) => {
      await page.getByRole("grid").waitFor();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.locator("summary", { hasText: "Save" }).click();
      await page.getByRole("button", { name: "Copy address" }).click();
      await page.getByText("Address copied").waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(copied, `${guarded.url}#/translate?${asked}`);
    });
    const refused = async (page: Page) => {
      await says(page.locator(".error"), /needs its token/);
    };
    await visit(browser, guarded.url, refused, { expected: /401/ });
  } finally {
    await guarded.stop();
  }
});

test("files: saved from the page, and written by fovea explain --html, open with the network off", async () => {
  let saved = "";
  await view(`#/translate?m=bahdanau&${asked}`, async (page) => {
    await page.getByRole("grid").waitFor();
    saved = (await downloaded(page, "Page, HTML")).content.toString();
  });
  const files = ["saved.html", "written.html"].map((name) => path.join(scratch, name));
  writeFileSync(files[0]!, saved);
  fovea("explain", models.bahdanau, kSentence, "--html", files[1]!);
  const trace = explained(models.bahdanau);
  for (const file of files) {
    await visit(
      browser,
      `${pathToFileURL(file).href}#/translate?u=pieces`,
      async (page) => {
        same(await gridWeights(page, /^Alignment/), trace.heads[0]!.weights, file);
      },
      { offline: true },
    );
  }
});
