// The views of pictures with mouse and keyboard, against a server with made-up Traces of real pictures.
import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { downloaded, eventually, has, says, text } from "./browser";
import { kModels } from "./fixture";
import { startMock } from "./mock_server";
import { opened, view } from "./mock_view";
import { samplePictureTrace } from "./picture_fixture";
import { kScenes } from "./pictures";

const weights = (page: Page, where: string) =>
  page.locator(`${where} .region`).evaluateAll((all) => all.map((one) => Number(one.getAttribute("data-weight"))));

const percent = (value: number, digits: number) => `${(100 * value).toFixed(digits)} %`;

test("caption: words appear, and what a word was read from lights up", () =>
  view("#/caption?p=scene:0", async (page) => {
    await page.locator(".caption-words button").first().waitFor();
    await says(page.getByLabel("Caption", { exact: true }), kScenes[0]!.about);
    const trace = samplePictureTrace({ model: "caption", image: "scene:0" });
    await eventually(async () => await eventually(async () => assert.deepEqual(await weights(page, ".large-picture"), trace.heads[0]!.weights[0])));
    const ball = kScenes[0]!.words.findIndex((one) => one.text === "ball");
    await page.locator(".caption-words button", { hasText: "ball" }).hover();
    await eventually(async () => await eventually(async () => assert.deepEqual(await weights(page, ".large-picture"), trace.heads[0]!.weights[ball])));
    await says(page.locator('[data-number="probability"]'), "82.0 %");
    const strongest = Math.max(...trace.heads[0]!.weights[ball]!);
    await says(page.locator('[data-number="region"]'), `lower left, ${percent(strongest, 1)}`);
    await says(page.locator(".numbers"), /of its weight on yellow, kicking \d+ %/);
    assert.match(
      (await page.locator(".large-picture svg").getAttribute("aria-label"))!,
      /^Where 'ball' looked: lower left \d+ %/,
    );
  }));

test("caption: arrow keys and play go from word to word, the address keeps it", () =>
  view("#/caption", async (page) => {
    const status = page.locator(".player [role=status]");
    await status.waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await says(status, /^Word 3 of \d+: three$/);
    assert.match(page.url(), /i=2/);
    await page.getByText("Fast").click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByText(/Word [5-9] of/).waitFor();
    await page.reload();
    await page.getByText(/Word [5-9] of/).waitFor();
    await page.locator(".film button").nth(1).click();
    await says(status, /^Word 2 of/);
  }));

test("pictures: chosen by mouse, by keys, and others", () =>
  view("#/glimpse", async (page) => {
    const strip = page.getByRole("radiogroup", { name: "Pictures" });
    await strip.getByRole("radio").nth(2).click();
    assert.match(page.url(), /p=digit%3A2/);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-checked") === "true");
    assert.match(page.url(), /p=digit%3A3/);
    await page.getByRole("button", { name: "Other pictures" }).click();
    assert.match(page.url(), /p=digit%3A12/);
    await page.getByRole("button", { name: "Pictures before these" }).click();
    assert.match(page.url(), /p=digit%3A0/);
    await page.getByText(/After glimpse 1 it believes/).waitFor();
  }));

// A red square of 40 x 30 pixels, made by the browser itself.
const redSquare = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [40, 30];
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = "#ff0000";
    pen.fillRect(0, 0, 40, 30);
    return canvas.toDataURL("image/png").split(",")[1]!;
  });

test("pictures: one's own is sent to the model, and what is none is told", () =>
  view("#/caption", async (page) => {
    await page.locator(".caption-words").waitFor();
    const field = page.locator('input[type="file"]');
    await field.setInputFiles({ name: "notes.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
    await page.getByText(/not a picture that the browser can read/).waitFor();
    const asked = page.waitForRequest((one) => one.url().endsWith("api/explain"));
    const square = Buffer.from(await redSquare(page), "base64");
    await field.setInputFiles({ name: "red.png", mimeType: "image/png", buffer: square });
    const { image } = (await asked).postDataJSON() as { image: string };
    const size = await page.evaluate(async (png) => {
      const picture = new Image();
      picture.src = `data:image/png;base64,${png}`;
      await picture.decode();
      return [picture.width, picture.height];
    }, image);
    assert.deepEqual(size, [40, 30]);
    assert.match(page.url(), /p=upload/);
    await page.locator(".upload.chosen img").waitFor();
    await page.reload();
    await page.locator(".upload.chosen img").waitFor();
    await page.locator(".thumbnail").first().click();
    await page.locator(".upload.chosen").first().waitFor({ state: "detached" });
  }));

test("ask: suggestions and typed questions, each look, the answer's bars, the true box", () =>
  view("#/ask?p=scene:0", async (page) => {
    await page.locator(".big-answer").waitFor();
    const [first, second] = kScenes[0]!.questions;
    assert.equal(await page.getByLabel("Question", { exact: true }).inputValue(), first!.text);
    await says(page.locator(".big-answer"), first!.answer);
    await has(page.locator(".hop"), 2);
    const trace = samplePictureTrace({ model: "answer", image: "scene:0", question: first!.text });
    await eventually(async () => await eventually(async () => assert.deepEqual(await weights(page, ".hop:nth-child(2)"), trace.heads[1]!.weights[0])));
    await says(page.locator(`[data-choice="${first!.answer}"]`), "82.0 %");
    await has(page.locator(".hop:nth-child(1) .truth .outline"), 1);
    assert.match(
      await text(page.locator(".hop:nth-child(2) figcaption")),
      /Look 2 \d+ % of its weight in the true box/,
    );
    await says(page.locator(".verdict"), "So it is.");

    await page.locator(".examples button", { hasText: second!.text }).first().click();
    await page.locator(".big-answer", { hasText: second!.answer }).waitFor();
    assert.match(page.url(), /ask=what/);
    await page.getByLabel("What is really there").uncheck();
    await page.locator(".truth").first().waitFor({ state: "detached" });

    await page.getByLabel("Question", { exact: true }).fill("is it raining");
    await page.locator(".big-answer", { hasText: "yes" }).waitFor();
    await has(page.locator(".verdict"), 0, "nobody knows the truth");
    await page.getByLabel("Question", { exact: true }).fill("");
    await page.getByText("Type a question.").waitFor();
  }));

test("ask: an error of the server is told", () =>
  view(
    "#/ask?ask=never",
    async (page) => {
      await page.getByText("it takes no such question").waitFor();
    },
    { expected: /400/ },
  ));

test("ask: a question about one picture alone does not follow to the next", () =>
  view("#/ask?p=scene:0", async (page) => {
    const field = page.getByLabel("Question", { exact: true });
    await page.locator(".examples button").nth(1).click();
    await page.waitForFunction(() => location.hash.includes("ask="));
    await page.locator(".thumbnail").nth(1).click();
    await page.waitForFunction(
      (usual) => document.querySelector<HTMLInputElement>("#question")?.value === usual,
      kScenes[1]!.questions[0]!.text,
    );
    await field.fill("is there a dog");
    await page.waitForFunction(() => location.hash.includes("dog"));
    await page.locator(".thumbnail").nth(0).click();
    await page.waitForFunction(() => location.hash.includes("p=scene%3A0"));
    await eventually(async () => await eventually(async () => assert.equal(await field.inputValue(), "is there a dog")));
  }));

test("glimpse: the path grows, the retina shows its patches, belief follows", () =>
  view("#/glimpse?p=digit:0", async (page) => {
    const status = page.locator(".player [role=status]");
    await status.waitFor();
    await has(page.locator(".path .stop"), 1);
    await has(page.locator(".retina canvas"), 3);
    await says(page.locator(".retina figcaption"), [
      "12 × 12",
      "24 × 24 as 12 × 12",
      "48 × 48 as 12 × 12",
    ]);
    await page.locator("h1").click();
    for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
    await says(status, /^Glimpse 4 of 5, at the /);
    assert.deepEqual(await page.locator(".path .stop text").allTextContents(), ["1", "2", "3", "4"]);
    await says(page.locator(".believed"), "2");
    await says(page.locator('[data-choice="2"]'), "81.0 %");
    // The finest patch is the picture itself there.
    const trace = samplePictureTrace({ model: "glimpse", image: "digit:0" });
    const [x, y] = (trace.axes[0]!.labels[3] as { box: number[] }).box as [number, number];
    const same = await page.evaluate(
      async ([png, x, y]) => {
        const picture = new Image();
        picture.src = `data:image/png;base64,${png}`;
        await picture.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [60, 60];
        const pen = canvas.getContext("2d")!;
        pen.drawImage(picture, 0, 0);
        const expected = pen.getImageData(x as number, y as number, 12, 12).data;
        const shown = document.querySelector<HTMLCanvasElement>(".retina canvas")!;
        const found = shown.getContext("2d")!.getImageData(0, 0, 12, 12).data;
        return found.every((value, i) => i % 4 === 3 || value === expected[i]);
      },
      [trace.image.png, x, y] as const,
    );
    assert(same, "the finest patch");
    await page.getByRole("gridcell").first().click();
    await says(status, /^Glimpse 1 of 5/);
  }));

test("glimpse: tiles that are chosen among light up", () =>
  view("#/glimpse?m=tiles&p=digit:1&i=2", async (page) => {
    await page.locator(".path .stop").first().waitFor();
    const trace = samplePictureTrace({ model: "tiles", image: "digit:1" });
    await eventually(async () => await eventually(async () => assert.deepEqual(await weights(page, ".large-picture"), trace.heads[0]!.weights[2])));
  }));

test("without attention: maps over the picture with their figures, self-attention from a place", () =>
  view("#/without?m=classify&p=scene:0", async (page) => {
    await page.getByRole("region", { name: "grad-cam", exact: true }).waitFor();
    await says(page.locator(".card h2"), [
      "What it says",
      "Self-attention",
      "saliency",
      "integrated-gradients",
      "occlusion",
      "grad-cam",
    ]);
    await page.getByLabel(/Check each map/).check();
    await page.locator("[data-figure=pointing]").first().waitFor();
    const trace = samplePictureTrace({ model: "classify", image: "scene:0" });
    const self = page.getByRole("region", { name: "Self-attention" });
    await self.locator(".region").nth(10).click();
    await page.mouse.move(0, 0);
    assert.match(page.url(), /from=10/);
    const found = await self.locator(".region").evaluateAll((all) => all.map((one) => one.getAttribute("data-weight")));
    assert.deepEqual(found.map(Number), trace.heads[0]!.weights[10]);
    await self.getByRole("application").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(page.url(), /from=18/);
    await page.getByLabel("Model", { exact: true }).selectOption("en-fr");
    await page.getByLabel("Sentence", { exact: true }).waitFor();
  }));

test("learn: tiles are made likelier, throws come to the exact gradient, and learning pays", () =>
  view("#/learn?lesson=8&n=12&base=yes", async (page) => {
    const reward = page.locator('[data-number="reward"]');
    await reward.waitFor();
    const tile = page.locator('[data-tile="12"]');
    const before = parseFloat(await tile.innerHTML());
    await page.getByRole("button", { name: /^row 4, column 1/ }).click();
    await page.waitForFunction(
      (than) => parseFloat(document.querySelector('[data-tile="12"]')!.textContent!) > than,
      before,
    );
    assert.match(page.url(), /k=/);
    assert(parseFloat(await text(page.locator('[data-number="distance"]'))) < 0.02);
    const worth = parseFloat(await text(reward));
    await page.getByRole("button", { name: "Learn from these throws" }).click();
    await page.waitForFunction(
      (than) => parseFloat(document.querySelector('[data-number="reward"]')!.textContent!) > than,
      worth,
    );
    await page.getByRole("button", { name: "Start over" }).click();
    await page.waitForFunction(
      (than) => parseFloat(document.querySelector('[data-tile="12"]')!.textContent!) === than,
      before,
    );
  }));

test("a view that no model serves is not offered; asked for by name, it says what to train", async () => {
  const few = await startMock(process.env.FOVEA_PAGE_FOLDER!, kModels);
  try {
    await opened(few.url, async (page) => {
      await page.locator(".sentence").first().waitFor();
      const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
      await says(links, [
        "Translate",
        "Step by step",
        "Heads",
        "Without attention",
        "Learn",
      ]);
    });
    for (const [hash, task] of [
      ["#/caption", "caption"],
      ["#/ask", "answer"],
      ["#/glimpse", "glimpse"],
    ]) {
      await opened(few.url + hash, async (page) => {
        await page.getByText(`fovea train ${task} --out ${task}.safetensors`).waitFor();
      });
    }
  } finally {
    few.close();
  }
});

test("a saved page of a picture shows it again, from disk", () =>
  view("#/caption?p=scene:0&i=3", async (page) => {
    await page.locator(".film button").first().waitFor();
    const saved = (await downloaded(page, "Page, HTML")).content.toString();
    assert(saved.includes(kScenes[0]!.png), "the picture is in it");
    const svg = (await downloaded(page, "Picture, SVG")).content.toString();
    assert(svg.includes(kScenes[0]!.png));
    assert(svg.includes('image-rendering="pixelated"'));
  }));
