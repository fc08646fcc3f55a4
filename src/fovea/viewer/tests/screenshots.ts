// Pictures of every view, from a running server. Usage: through scripts/screenshots
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launch } from "./browser";
import { serve } from "./program";

const [out = "docs/pictures", ...models] = process.argv.slice(2);
const kind = (name: string) => path.basename(name, ".safetensors");
const [attention = "", fixed = "", transformer = "", caption = "", answer = "", glimpse = "", classify = ""] =
  models.map(kind);
const sentence = "t=The+girl+will+not+enter+the+old+dark+church.";

interface Shot {
  name: string;
  hash: string;
  ready: string; // a part of the page that must be there
  width?: number;
  dark?: boolean;
  use?: (page: Page) => Promise<void>;
}

const point = (word: string) => (page: Page) =>
  page.locator(".sentence.said button", { hasText: word }).first().hover();

const kShots: Shot[] = [
  {
    name: "translate",
    hash: `#/translate?m=${attention}&${sentence}&cell=2.4`,
    ready: ".cell.chosen",
    use: point("n'"),
  },
  {
    name: "translate-dark",
    hash: `#/translate?m=${attention}&${sentence}&cell=2.4`,
    ready: ".cell.chosen",
    dark: true,
  },
  {
    name: "translate-phone",
    hash: `#/translate?m=${attention}&${sentence}&cell=2.4`,
    ready: ".cell.chosen",
    width: 390,
  },
  {
    name: "steps",
    hash: `#/steps?m=${attention}&m2=${fixed}&${sentence}&i=4&s=4`,
    ready: ".model-story:nth-child(2) .candidates",
  },
  { name: "heads", hash: `#/heads?m=${transformer}&${sentence}&layer=3&head=2`, ready: ".small canvas" },
  {
    name: "heads-arcs",
    hash: `#/heads?m=${transformer}&${sentence}&kind=encoder&form=arcs&layer=1&head=0`,
    ready: ".arcs .end",
    dark: true,
  },
  { name: "without-attention", hash: `#/without?m=${attention}&${sentence}&check=1`, ready: "[data-figure=deletion]" },
  {
    name: "without-attention-fixed",
    hash: `#/without?m=${fixed}&${sentence}&check=1`,
    ready: "[data-figure=deletion]",
  },
  { name: "learn-1-retrieve", hash: "#/learn?lesson=1", ready: ".sum" },
  { name: "learn-2-scores", hash: "#/learn?lesson=2&score=cosine", ready: ".plane rect", dark: true },
  { name: "learn-3-temperature", hash: "#/learn?lesson=3", ready: ".weights td" },
  { name: "learn-4-soft-and-hard", hash: "#/learn?lesson=4&n=10", ready: ".chart .curve circle" },
  { name: "learn-5-self-and-cross", hash: "#/learn?lesson=5&look=cross", ready: ".cell" },
  { name: "learn-6-root-of-dim", hash: "#/learn?lesson=6", ready: ".chart .curve circle" },
  { name: "learn-7-one-vector", hash: "#/learn?lesson=7", ready: ".answer .differs, .answer span" },
  { name: "learn-8-tiles", hash: "#/learn?lesson=8&n=8&base=yes", ready: "[data-number=reward]" },
];

const pointAt = (word: string) => (page: Page) =>
  page.locator(".caption-words button", { hasText: word }).first().click();

// Of models that look at pictures.
const kPictureShots: Shot[] = [
  { name: "caption", hash: `#/caption?m=${caption}&p=scene:3`, ready: ".film button", use: pointAt("ball") },
  {
    name: "caption-dark",
    hash: `#/caption?m=${caption}&p=scene:5`,
    ready: ".film button",
    dark: true,
    use: pointAt("player"),
  },
  {
    name: "caption-phone",
    hash: `#/caption?m=${caption}&p=scene:3`,
    ready: ".film button",
    width: 390,
    use: pointAt("ball"),
  },
  { name: "ask", hash: `#/ask?m=${answer}&p=scene:0`, ready: ".big-answer" },
  {
    name: "ask-dark",
    hash: `#/ask?m=${answer}&p=scene:3&ask=what+is+the+player+nearest+to+the+player+in+blue+doing`,
    ready: ".big-answer",
    dark: true,
  },
  { name: "ask-phone", hash: `#/ask?m=${answer}&p=scene:0`, ready: ".big-answer", width: 390 },
  { name: "glimpse", hash: `#/glimpse?m=${glimpse}&p=digit:5&i=99`, ready: ".path .stop" },
  { name: "glimpse-dark", hash: `#/glimpse?m=${glimpse}&p=digit:8&i=3`, ready: ".path .stop", dark: true },
  {
    name: "without-attention-pictures",
    hash: `#/without?m=${classify}&p=scene:2&check=1`,
    ready: "[data-figure=deletion]",
  },
  {
    name: "without-attention-answer",
    hash: `#/without?m=${answer}&p=scene:0&check=1`,
    ready: "[data-figure=deletion]",
    dark: true,
  },
];

async function take(browser: Browser, url: string, { name, hash, ready, width = 1280, dark = false, use }: Shot) {
  const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  await page.goto(url + hash);
  await page.locator(ready).first().waitFor({ timeout: 120_000 });
  await page.waitForTimeout(700); // the rest of a view, and its transitions
  await use?.(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.waitForTimeout(200);
  await page.screenshot({ path: path.join(out, `${name}.png`), fullPage: true });
  await context.close();
  console.log(`${name}.png`);
}

mkdirSync(out, { recursive: true });
const server = await serve(models, ["--seconds", "120"]);
const browser = await launch();
try {
  for (const shot of [...kShots, ...(classify ? kPictureShots : [])]) await take(browser, server.url, shot);
} finally {
  await browser.close();
  await server.stop();
}
