// Every view with mouse and keyboard, against a server with made-up Traces.
import assert from "node:assert/strict";
import test from "node:test";
import { downloaded, eventually, gridWeights, has, says, text } from "./browser";
import { sampleTrace } from "./fixture";
import { view } from "./mock_view";

test("translate: typing translates, the last sentence wins, the address keeps it", () =>
  view("", async (page) => {
    const field = page.getByLabel("Sentence", { exact: true });
    await field.waitFor();
    for (const sentence of ["The", "The cat", "The cat sees Unbelievable"]) await field.fill(sentence);
    await page.locator(".sentence.said", { hasText: "unbelievable" }).waitFor();
    assert.match(page.url(), /t=The\+cat\+sees\+Unbelievable/);
    await says(page.locator(".sentence.said"), "le chat sees unbelievable");
    await page.reload();
    await page.locator(".sentence.said", { hasText: "unbelievable" }).waitFor();
  }));

test("translate: pointing at a word shows where it looked, both ways", () =>
  view("#/translate?t=The+old+cat", async (page) => {
    const target = page.locator(".sentence.said button", { hasText: "chat" });
    await target.hover();
    const strong = () =>
      page
        .locator(".links .lines path")
        .evaluateAll((all) => all.filter((one) => Number(one.getAttribute("stroke-opacity")) > 0.2).length);
    await eventually(async () => assert((await strong()) >= 1));
    await says(page.locator(".sentence .looked-from"), "chat");
    await page.locator(".cell.dim").first().waitFor();
    await page.getByLabel("Source", { exact: true }).getByText("old").hover();
    await says(page.locator(".sentence .looked-from"), "old");
  }));

test("translate: a cell tells its numbers, by mouse and by arrow keys", () =>
  view("#/translate?t=The+old+cat&u=pieces", async (page) => {
    const { heads } = sampleTrace({ model: "en-fr", input: "The old cat" });
    const name = "vieux at cat";
    await page.getByRole("gridcell", { name }).click();
    const numbers = page.locator(".numbers");
    assert.equal(
      await text(numbers.locator('[data-number="weight"]')),
      `${(100 * heads[0]!.weights[1]![2]!).toFixed(2)} %`,
    );
    assert.equal(
      await text(numbers.locator('[data-number="score"]')),
      heads[0]!.scores[1]![2]!.toFixed(4).replace("-", "−"),
    );
    assert.match(page.url(), /cell=1\.2/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    assert.match(page.url(), /cell=2\.1/);
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label")?.startsWith("chat at old:"));
  }));

test("translate: words are pieces added and averaged", () =>
  view("#/translate?t=Unbelievable+sunflowers", async (page) => {
    const words = await gridWeights(page, /^Alignment/);
    assert.deepEqual([words.length, words[0]!.length], [2, 3]);
    const weights = sampleTrace({ model: "en-fr", input: "Unbelievable sunflowers" }).heads[0]!.weights;
    const expected = (weights[0]![0]! + weights[0]![1]! + (weights[1]![0]! + weights[1]![1]!)) / 2;
    assert(Math.abs(words[0]![0]! - expected) < 1e-6);
    await page.getByText("Pieces", { exact: true }).click();
    await eventually(async () => assert.deepEqual((await gridWeights(page, /^Alignment/)).length, 5));
  }));

test("translate: an error of the server is told, and the next sentence mends it", () =>
  view(
    `#/translate?t=${"x".repeat(2500)}`,
    async (page) => {
      await says(page.locator("[role=alert] .error"), /more than 2000 bytes; shorten it/);
      await page.getByLabel("Sentence", { exact: true }).fill("The cat");
      await page.locator(".sentence.said", { hasText: "chat" }).waitFor();
      await has(page.locator(".error"), 0);
    },
    { expected: /413/ },
  ));

test("translate: what a sentence says is never taken for HTML", () =>
  view("", async (page) => {
    await page.getByLabel("Sentence", { exact: true }).fill("<img src=x onerror=alert(1)> <b>strong</b>");
    await page.locator(".sentence.said", { hasText: "strong" }).waitFor();
    await has(page.locator("main img, main b"), 0);
  }));

test("steps: keys walk through five steps of every word, play goes on by itself", () =>
  view("#/steps?t=The+cat", async (page) => {
    const status = page.locator(".player [role=status]");
    await status.waitFor();
    await says(status, /Word 1 of 4, step 1 of 5: Encoder states/);
    await page.locator("h1").click();
    for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
    await says(status, /Word 2 of 4, step 1 of 5/);
    await page.keyboard.press("ArrowLeft");
    await says(status, /Word 1 of 4, step 5 of 5: Next word/);
    assert.match(page.url(), /i=0&s=4/);
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByText(/Word 2 of 4/).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Fast").click();
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByText(/Word 4 of 4, step 5/).waitFor();
    await page.getByRole("button", { name: "To the end" }).click();
    await says(status, /Word 4 of 4, step 5 of 5/);
    await has(page.locator(".model-story"), 2, "the fixed model stands beside");
    await page.getByLabel("Beside it").selectOption("-");
    await has(page.locator(".model-story"), 1);
  }));

test("heads: small multiples, one enlarged, kinds, arcs, and arrow keys", () =>
  view("#/heads?m=en-fr-big&t=The+cat+sees", async (page) => {
    await page.getByRole("radio", { name: "Layer 2, head 3" }).click();
    await page.getByRole("heading", { name: "Layer 2, head 3" }).waitFor();
    await has(page.locator(".small"), 16);
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "Layer 3, head 3" }).waitFor();
    const trace = sampleTrace({ model: "en-fr-big", input: "The cat sees" });
    const head = trace.heads.find((one) => one.kind === "cross" && one.layer === 2 && one.head === 2)!;
    await eventually(async () => assert.deepEqual(await gridWeights(page, /^Layer 3/), head.weights));
    await page.getByText("Decoder", { exact: true }).click();
    await eventually(async () => assert.deepEqual((await gridWeights(page, /^Layer 1/))[0]!.slice(1), [0, 0, 0], "nothing is seen ahead"));
    await page.getByText("Arcs", { exact: true }).click();
    await page.getByRole("button", { name: "query chat" }).focus();
    await page.locator(".arcs .small-number").first().waitFor();
  }));

test("without attention: maps side by side, figures on demand, correlation", () =>
  view("#/without?t=The+cat", async (page) => {
    await page.locator(".card").first().waitFor();
    await has(page.locator(".card"), 5);
    await has(page.locator(".correlation tbody tr"), 5);
    await has(page.locator("[data-figure]"), 0);
    await page.getByLabel(/Check each map/).check();
    await page.locator("[data-figure=deletion]").first().waitFor();
    await says(page.locator("[data-figure=deletion]").first(), "0.210");
    await page.locator(".verdict.bad").first().waitFor();
    await page.getByLabel("Model", { exact: true }).selectOption("en-fr-fixed");
    await page.getByRole("heading", { name: "sequential-jacobian" }).waitFor();
  }));

test("learn: every lesson opens; a query is dragged and nudged", () =>
  view("#/learn", async (page) => {
    await page.locator('[data-weight="2"]', { hasText: "%" }).waitFor();
    const weight = async () => parseFloat(await page.locator('[data-weight="2"]').innerText());
    const before = await weight();
    const query = page.getByRole("slider", { name: /^query/ });
    const box = (await query.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 180, box.y, { steps: 6 });
    await page.mouse.up();
    await page.waitForFunction(
      (than) => parseFloat(document.querySelector('[data-weight="2"]')!.textContent!) > than + 20,
      before,
    );
    assert.match(page.url(), /q=/);
    const moved = await query.getAttribute("aria-valuetext");
    await query.focus();
    await page.keyboard.press("ArrowUp");
    await eventually(async () => assert.notEqual(await query.getAttribute("aria-valuetext"), moved));
    for (let lesson = 2; lesson <= 8; ++lesson) {
      await page.getByRole("link", { name: /^Next/ }).click();
      await page.locator("h2.lesson-title .number", { hasText: String(lesson) }).waitFor();
      await page.locator(".weights, .chart svg, [role=grid], .answer, .tile").first().waitFor();
    }
  }));

test("saving: SVG, PNG, HTML and JSON of every view", () =>
  view("#/translate?t=The+old+cat", async (page) => {
    for (const name of [
      "Translate",
      "Step by step",
      "Heads",
      "Caption",
      "Ask",
      "Glimpse",
      "Without attention",
      "Learn",
    ]) {
      await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
      await page.locator('main .result[aria-busy="false"] svg').first().waitFor();
      const svg = (await downloaded(page, "Picture, SVG")).content.toString();
      assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
      assert(svg.includes(`>${name}</text>`), "text stays text");
      const png = (await downloaded(page, "Picture, PNG")).content;
      assert.equal(png.subarray(1, 4).toString(), "PNG");
      assert(png.length > 5000);
      const json = JSON.parse((await downloaded(page, "Numbers, JSON")).content.toString());
      assert(name === "Learn" ? json[0].answer.weights : json.format === "fovea.trace");
      assert.match((await downloaded(page, "Page, HTML")).content.toString(), /^<!doctype html>/);
    }
  }));

test("light and dark follow the system and the button", () =>
  view(
    "",
    async (page) => {
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.getByRole("button", { name: "Light colours" }).waitFor();
      const dark = await paper();
      await page.getByRole("button", { name: "Light colours" }).click();
      await eventually(async () => assert.notEqual(await paper(), dark));
      await page.reload();
      await page.getByRole("button", { name: "Dark colours" }).waitFor();
    },
    { colorScheme: "dark" },
  ));

test("nothing is wider than a phone", async () => {
  for (const hash of [
    "#/translate",
    "#/steps?s=4",
    "#/heads?m=en-fr-big",
    "#/without?check=1",
    "#/learn",
    "#/learn?lesson=2",
    "#/learn?lesson=4",
    "#/learn?lesson=6",
    "#/learn?lesson=7",
    "#/learn?lesson=8",
    "#/caption",
    "#/ask",
    "#/glimpse?i=3",
    "#/without?m=classify&check=1",
  ]) {
    await view(
      hash,
      async (page) => {
        await page.locator("main svg, main table, main .answer").first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert(wide <= 390, `${hash} is ${wide} pixels wide`);
      },
      { viewport: { width: 390, height: 800 } },
    );
  }
});

test("all controls have names", async () => {
  for (const hash of [
    "#/translate",
    "#/steps",
    "#/heads?m=en-fr-big",
    "#/without",
    "#/learn?lesson=2",
    "#/learn?lesson=8",
    "#/caption",
    "#/ask",
    "#/glimpse",
    "#/without?m=classify",
  ]) {
    await view(hash, async (page) => {
      await page.locator("main svg").first().waitFor();
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("button, a, input, select, summary, [role=grid], [role=slider]")]
          .filter((one) => !(one.ariaLabel || one.textContent?.trim() || (one as HTMLInputElement).labels?.length))
          .map((one) => one.outerHTML.slice(0, 100)),
      );
      assert.deepEqual(nameless, []);
    });
  }
});
