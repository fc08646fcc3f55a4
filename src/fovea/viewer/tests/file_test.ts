// A page in a file: opened from disk with the network off, large, hostile, and saved again.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { computing, downloaded, eventually, gridWeights, has, launch, says, visit } from "./browser";
import { kMethods, largeTrace, sampleTrace } from "./fixture";
import { startMock } from "./mock_server";
import { samplePictureTrace } from "./picture_fixture";

const folder = process.env.FOVEA_PAGE_FOLDER!;
const scratch = mkdtempSync(path.join(tmpdir(), "fovea-page-"));
let browser: Browser;
before(async () => void (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true });
});

// As standalone_page() of page.cc makes it, which has a test of its own.
function standalone(trace: unknown): string {
  const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
  const parts: Record<string, string> = {
    STYLE: read("app.css"),
    SCRIPT: read("app.js"),
    TRACE: JSON.stringify(trace).replace(/</g, "\\u003c"),
  };
  return read("standalone.html").replace(/@(STYLE|TRACE|SCRIPT)@/g, (_, name: string) => parts[name]!);
}

let files = 0;
function open(html: string, hash: string, use: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) {
  const file = path.join(scratch, `${++files}.html`);
  writeFileSync(file, html);
  return visit(browser, pathToFileURL(file).href + hash, use, { offline: true, ...options });
}

test("every view that a Trace has opens from disk, and no other", () =>
  open(
    standalone(sampleTrace({ model: "en-fr-big", input: "The old cat", methods: kMethods, check: true, states: true })),
    "",
    async (page) => {
      const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
      await says(links, ["Attention", "Step by step", "Heads", "Without attention"]);
      await eventually(async () => await eventually(async () => assert.equal((await gridWeights(page, /^Alignment/)).length, 3)));
      await links.nth(1).click();
      await page.locator(".story svg").waitFor();
      await links.nth(2).click();
      await has(page.locator(".small"), 16);
      await links.nth(3).click();
      await has(page.locator(".card"), kMethods.length);
      await has(page.getByLabel("Sentence", { exact: true }), 0);
    },
  ));

test("an address within a file is kept", () =>
  open(standalone(sampleTrace({ model: "en-fr", input: "The old cat" })), "#/translate?cell=1.1", async (page) => {
    await says(page.locator(".numbers"), /from vieux to old/);
  }));

test("what a Trace says can neither end its element nor run", () => {
  const trace = sampleTrace({
    model: "en-fr",
    input: "</script><script>document.title='hacked'</script> <img src=x onerror=alert(1)>",
  });
  trace.model = "<b onclick=alert(1)>model</b>";
  return open(standalone(trace), "", async (page) => {
    await page.locator(".sentence").first().waitFor();
    assert.equal(await page.title(), "Attention · Fovea");
    await has(page.locator("main img, main b, main script"), 0);
  });
});

test("a Trace that cannot be read is told", () =>
  open(standalone({ format: "fovea.trace", version: 9 }), "", async (page) => {
    await says(page.locator("[role=alert] .error"), /has version 9; this page reads version 1/);
  }));

test("a saved page is the page again, and so is what is saved from it", async () => {
  const mock = await startMock(folder);
  let saved = "";
  await visit(browser, `${mock.url}#/translate?t=The+old+cat`, async (page) => {
    await page.getByRole("grid").waitFor();
    saved = (await downloaded(page, "Page, HTML")).content.toString();
  });
  mock.close();
  let again = "";
  await open(saved, "", async (page) => {
    await eventually(async () => await eventually(async () => assert.equal((await gridWeights(page, /^Alignment/)).length, 3)));
    again = (await downloaded(page, "Page, HTML")).content.toString();
  });
  await open(again, "", async (page) => {
    await eventually(async () => await eventually(async () => assert.equal((await gridWeights(page, /^Alignment/)).length, 3)));
  });
});

test("10,000 tokens open within two seconds, zoom in to exact weights, and move smoothly", () => {
  const trace = largeTrace(10_000);
  return open(standalone(trace), "", async (page) => {
    const seconds = await computing(page);
    const before = await seconds();
    await page.reload();
    const told = page.locator(".told");
    await told.waitFor();
    await page.waitForFunction(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("canvas.large")!;
      const { data } = canvas.getContext("2d")!.getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
      return data[3] === 255;
    });
    const opened = (await seconds()) - before;
    const waited = await page.evaluate(() => performance.now());
    console.log(`10,000 tokens: ${Math.round(1000 * opened)} ms of computing, drawn after ${Math.round(waited)} ms`);
    assert(opened < 2, `it took ${opened} seconds of computing`);
    await says(told, /Overview: the largest weight of each 20 × 20 cells/);

    await page.getByRole("application").focus();
    await page.keyboard.press("ArrowRight");
    await says(page.locator(".numbers"), /from token0 to token0 weight 50.00 %/);
    for (let i = 0; i < 14; ++i) await page.keyboard.press("+");
    await page.locator('.told[data-mode="exact"]').waitFor();
    await says(told, /Exact: the 16 largest weights of each row/);

    const frames = await page.evaluate(async () => {
      const canvas = document.querySelector("canvas.large")!;
      const times: number[] = [];
      for (let i = 0; i < 40; ++i) {
        const start = performance.now();
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaX: 40, deltaY: 60, cancelable: true, bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b);
    });
    console.log(`two frames of scrolling: median ${frames[20]!.toFixed(1)} ms, worst ${frames[39]!.toFixed(1)} ms`);
    assert(frames[20]! < 100, "scrolling is smooth");
  });
});

test("a picture's Trace opens from disk in the view of its task", async () => {
  const found: Record<string, [string, string]> = {
    caption: ["Caption", ".caption-words"],
    answer: ["Ask", ".big-answer"],
    glimpse: ["Glimpse", ".path .stop"],
    classify: ["Without attention", ".card .big-answer"],
  };
  for (const [model, [name, part]] of Object.entries(found)) {
    const question = "where is the ball";
    await open(standalone(samplePictureTrace({ model, image: "scene:0", question })), "", async (page) => {
      const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
      await says(links, [name]);
      await page.locator(part).first().waitFor();
      await has(page.locator(".thumbnail, #question"), 0, "nobody can be asked");
    });
  }
});

test("regions that are no grid, of a task that nobody knows, are drawn all the same", () => {
  const labels = [
    { text: "a", word: null, box: [0, 0, 8, 16] },
    { text: "b", word: null, box: [8, 0, 16, 5] },
    { text: "c", word: null, box: [8, 5, 16, 16] },
  ];
  const said = ["a", "ball"].map((text, word) => ({ text, word }));
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const trace = {
    format: "fovea.trace",
    version: 1,
    output: "a ball",
    axes: [
      { name: "regions", kind: "regions", labels },
      { name: "target", kind: "words", labels: said },
    ],
    heads: [
      {
        queries: "target",
        keys: "regions",
        weights: [
          [0.4, 0.3, 0.3],
          [0, 0.2, 0.8],
        ],
      },
    ],
    image: { width: 16, height: 16, png },
  };
  return open(standalone(trace), "#/caption?i=1", async (page) => {
    const dark = await page
      .locator(".large-picture .looked > rect")
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute("fill-opacity"))));
    assert.deepEqual(
      dark.map((value) => Math.round(100 * value)),
      [78, 58, 0],
    );
  });
});

test("a map of 900 x 900 weights is drawn on a canvas", () => {
  const words = Array.from({ length: 899 }, (_, i) => `w${i}`).join(" ");
  return open(standalone(sampleTrace({ model: "en-fr", input: words })), "", async (page) => {
    await page.locator("canvas.large").waitFor();
    await says(page.locator(".told"), /Overview: the largest weight of each 2 × 2 cells/);
  });
});
