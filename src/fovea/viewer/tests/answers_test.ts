// An answer stands with what was asked, on the screen and in what is saved: also while the next is awaited, or fails.
import assert from "node:assert/strict";
import test from "node:test";
import type { Page, Route } from "playwright-core";
import { downloaded, has, says, text } from "./browser";
import { mockAttend } from "./mock_attend";
import { view } from "./mock_view";
import { kDigits } from "./pictures";

const type = (field: string, what: string) => (page: Page) => page.getByLabel(field, { exact: true }).fill(what);
const slide =
  (label: string, key = "ArrowLeft") =>
  (page: Page) =>
    page.getByRole("slider", { name: label, exact: true }).press(key);
const chooseScore = async (page: Page) => void (await page.getByLabel("Score", { exact: true }).selectOption("cosine"));
const raiseTile = (page: Page) => page.locator(".tile").first().click();
const moveQuery = (page: Page) => page.locator(".dot.query [role=slider]").press("ArrowUp");
const push = (button: string) => (page: Page) => page.getByText(button, { exact: true }).click();
const choosePicture = (page: Page) => page.locator(".thumbnail").nth(1).click();
const typeSentence = type("Sentence", "The old dog");

interface Case {
  hash: string;
  answer: string; // a part that there is of an answer alone
  askAnother: (page: Page) => Promise<void>;
}

const kWeight = 'td[data-weight="0"]:has-text("%")';
const kCases: Case[] = [
  { hash: "#/translate?t=The+cat", answer: ".sentence.said", askAnother: typeSentence },
  { hash: "#/translate?m=en-fr-fixed&t=The+cat", answer: ".translation-only", askAnother: typeSentence },
  { hash: "#/steps?t=The+cat", answer: ".model-story", askAnother: typeSentence },
  { hash: "#/heads?t=The+cat", answer: ".enlarged", askAnother: typeSentence },
  { hash: "#/without?t=The+cat", answer: ".card", askAnother: typeSentence },
  { hash: "#/without?m=classify&p=scene:0", answer: ".card", askAnother: choosePicture },
  { hash: "#/caption?p=scene:0", answer: ".caption-words", askAnother: choosePicture },
  { hash: "#/ask?p=scene:0", answer: ".big-answer", askAnother: type("Question", "is it raining") },
  { hash: "#/glimpse?p=digit:0", answer: ".path", askAnother: choosePicture },
  { hash: "#/learn?lesson=1", answer: kWeight, askAnother: moveQuery },
  { hash: "#/learn?lesson=2", answer: kWeight, askAnother: chooseScore },
  { hash: "#/learn?lesson=3", answer: kWeight, askAnother: slide("Temperature") },
  { hash: "#/learn?lesson=4", answer: ".chart circle", askAnother: push("Throw anew") },
  { hash: "#/learn?lesson=5", answer: "[role=grid]", askAnother: push("Self, causal") },
  { hash: "#/learn?lesson=7", answer: ".answer span", askAnother: slide("Length") },
  { hash: "#/learn?lesson=8", answer: "[data-tile]", askAnother: raiseTile },
];

const kAnswers = /api\/(explain|attend)$/;

// From now on, answers are awaited until they are let go.
async function hold(page: Page): Promise<() => void> {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(kAnswers, async (route) => {
    await gate;
    await route.continue().catch(() => {}); // nobody waits for it any more
  });
  return letGo;
}

const kRefusal = "no such luck";
const refused = (route: Route) => route.fulfill({ status: 400, json: { error: { message: kRefusal } } });

// What the page says instead of saving.
async function unsaved(page: Page): Promise<string> {
  await page.locator("summary", { hasText: "Save" }).click();
  await page.getByRole("button", { name: "Numbers, JSON" }).click();
  await page.locator(".toast", { hasText: /./ }).waitFor();
  return text(page.locator(".toast"));
}

const isFaint = (answer: string) => {
  const result = document.querySelector(answer)?.closest(".result");
  return result?.ariaBusy === "true" && Number(getComputedStyle(result).opacity) < 0.5;
};

for (const { hash, answer, askAnother } of kCases) {
  test(`${hash}: the last answer goes faint while the next is awaited, and is not saved as if it were that`, () =>
    view(hash, async (page) => {
      await page.locator(answer).first().waitFor();
      const letGo = await hold(page);
      await askAnother(page);
      await page.waitForFunction(isFaint, answer.replace(/:has-text.*/, ""));
      assert.match(await unsaved(page), /still awaited/);
      letGo();
      await page.locator('.result[aria-busy="false"]').waitFor();
      await downloaded(page, "Numbers, JSON");
    }));

  test(`${hash}: nothing is left of the last answer when the next fails`, () =>
    view(
      hash,
      async (page) => {
        await page.locator(answer).first().waitFor();
        await page.route(kAnswers, refused);
        await askAnother(page);
        await page.locator(".error", { hasText: kRefusal }).waitFor();
        await has(page.locator(answer), 0);
        assert.match(await unsaved(page), /no answer/);
      },
      { expected: /400/ },
    ));
}

for (const { hash, answer } of kCases) {
  test(`${hash}: who does not answer can be asked again`, () =>
    view(
      hash,
      async (page) => {
        await page.locator(answer).first().waitFor();
        await page.route(kAnswers, (route) => route.abort());
        await page.reload();
        await says(page.locator(".error"), /does not answer/);
        await page.unroute(kAnswers);
        await page.getByRole("button", { name: "Try again" }).click();
        await page.locator(answer).first().waitFor();
        await has(page.locator(".error"), 0);
      },
      { expected: /ERR_FAILED/ },
    ));
}

test("a refused request is not offered again", () =>
  view(
    "#/translate?t=The+cat",
    async (page) => {
      await page.locator(".sentence.said").waitFor();
      await page.route(kAnswers, refused);
      await typeSentence(page);
      await says(page.locator(".error"), kRefusal);
      await has(page.getByRole("button", { name: "Try again" }), 0);
    },
    { expected: /400/ },
  ));

test("typing makes the last answer faint at once, not only when it pauses", () =>
  view("#/translate?t=The+cat", async (page) => {
    await page.locator(".sentence.said").waitFor();
    await hold(page);
    const busy = await page.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("#sentence")!;
      field.value = "The dog";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      for (let frame = 0; frame < 2; ++frame) await new Promise(requestAnimationFrame);
      return document.querySelector(".sentence.said")!.closest(".result")!.ariaBusy;
    });
    assert.equal(busy, "true");
    assert.match(page.url(), /t=The\+dog/);
  }));

test("nothing is left of an answer when its field is emptied", async () => {
  await view("#/translate", async (page) => {
    await page.locator(".sentence.said").waitFor();
    await type("Sentence", "")(page);
    await page.locator(".sentence.said").waitFor({ state: "detached" });
  });
  await view("#/ask", async (page) => {
    await page.locator(".big-answer").waitFor();
    await type("Question", "")(page);
    await page.getByText("Type a question.").waitFor();
    await has(page.locator(".big-answer"), 0);
  });
});

test("steps: a story is titled by the model that told it", () =>
  view("#/steps?m=en-fr&m2=-&t=The+cat", async (page) => {
    const title = page.locator(".model-story h2");
    await title.waitFor();
    const letGo = await hold(page);
    await page.getByLabel("Model", { exact: true }).selectOption("en-fr-big");
    await page.locator(".subject.busy").waitFor();
    await says(title, "en-fr · bahdanau");
    letGo();
    await page.locator(".model-story h2", { hasText: "en-fr-big · transformer" }).waitFor();
  }));

test("steps: the first model's story stays when the second fails", () =>
  view(
    "#/steps?m=en-fr&m2=-&t=The+cat",
    async (page) => {
      await page.locator(".model-story").waitFor();
      await page.route(kAnswers, (route) =>
        route.request().postDataJSON().model === "en-fr-fixed" ? refused(route) : route.continue(),
      );
      await page.getByLabel("Beside it").selectOption("en-fr-fixed");
      await page.locator(".error", { hasText: kRefusal }).waitFor();
      await says(page.locator(".model-story h2"), ["en-fr · bahdanau"]);
    },
    { expected: /400/ },
  ));

test("learn: throws, rows and sentences are told as they were asked", async () => {
  await view("#/learn?lesson=4&n=3", async (page) => {
    const told = page.locator("figcaption", { hasText: "away" });
    await told.waitFor();
    const before = await text(told);
    assert.match(before, /^after 8: /);
    await hold(page);
    await slide("Throws", "ArrowRight")(page);
    await page.locator(".result.stale").waitFor();
    await says(told, before);
  });
  await view("#/learn?lesson=5", async (page) => {
    await page.getByRole("gridcell", { name: /^it at dog/ }).waitFor();
    await hold(page);
    await push("Cross")(page);
    await page.locator(".result.stale").waitFor();
    await has(page.getByRole("gridcell", { name: /^it at dog/ }), 1);
  });
  await view("#/learn?lesson=7&long=0", async (page) => {
    await page.locator(".answer span").first().waitFor();
    await hold(page);
    await slide("Length", "ArrowRight")(page);
    await page.locator(".result.stale").waitFor();
    await says(page.locator(".long-sentence"), "The cat sleeps.");
  });
});

test("learn: every number that is saved is the answer to the request that is saved with it", async () => {
  for (const lesson of [1, 2, 3, 4, 5, 6, 8]) {
    await view(`#/learn?lesson=${lesson}`, async (page) => {
      await page.locator('.result[aria-busy="false"] :is(.weights, .chart, [role=grid], .tile)').first().waitFor();
      const saved = JSON.parse((await downloaded(page, "Numbers, JSON")).content.toString());
      assert(saved.length > 0);
      for (const { request, answer } of saved) {
        assert.deepEqual(answer, JSON.parse(JSON.stringify(mockAttend(request))));
      }
    });
  }
});

test("glimpse: the retina never shows pixels of the picture before", () =>
  view("#/glimpse?p=digit:0", async (page) => {
    await page.locator(".retina canvas").first().waitFor();
    await page.evaluate(() => (Image.prototype.decode = () => new Promise(() => {})));
    await choosePicture(page);
    await page.locator(".result:not(.stale) .truth text", { hasText: kDigits[1]!.about }).waitFor();
    await has(page.locator(".retina canvas"), 0);
  }));

test("pictures that fail leave a way back to those before", () =>
  view(
    "#/caption",
    async (page) => {
      await page.locator(".thumbnail").first().waitFor();
      await page.route(/api\/pictures$/, refused);
      await page.getByRole("button", { name: "Other pictures" }).click();
      await page.locator(".error", { hasText: kRefusal }).waitFor();
      await has(page.locator(".thumbnail"), 0);
      await page.getByRole("button", { name: "Pictures before these" }).click();
      await page.locator(".thumbnail").first().waitFor();
    },
    { expected: /400/ },
  ));
