// Chromium for tests: pages that are watched, so that an error or a request to elsewhere fails the test.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";

const kPatience = 20_000;  // milliseconds
const kFlags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: kFlags });

// Opens an address, does something there, and makes sure that nothing went wrong on the way.
// expected: messages of the console that belong to the test, such as a refused request.
export async function visit(
  browser: Browser,
  address: string,
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions & { expected?: RegExp } = {},
): Promise<void> {
  const { expected, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...rest });
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  const wrong: string[] = [];
  const home = new URL(address).host;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected?.test(message.text())) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.stack ?? error.message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.host !== home) wrong.push(`asked ${request.url()}`);
  });
  try {
    await page.goto(address);
    await use(page);
    assert.deepEqual(wrong, [], "the console stays silent and nothing is asked elsewhere");
  } finally {
    await context.close();
  }
}

// Seconds that the page's main thread has computed: the same on a busy machine as on an idle one.
export async function computing(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find((one) => one.name === "TaskDuration")!.value;
  };
}

export const text = async (where: Locator): Promise<string> => (await where.innerText()).replace(/\s+/g, " ").trim();

// A page follows an event a moment later, so what is expected of it is waited for.
export async function eventually(check: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + kPatience; ; await setTimeout(20)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

// What must not be there is not waited for: it must be gone already.
export function has(where: Locator, count: number, message?: string): Promise<void> {
  const check = async () => assert.equal(await where.count(), count, message);
  return count === 0 ? check() : eventually(check);
}

export const says = (where: Locator, expected: string | RegExp | string[]): Promise<void> =>
  eventually(async () => {
    if (Array.isArray(expected)) assert.deepEqual(await where.allInnerTexts(), expected);
    else if (typeof expected === "string") assert.equal(await text(where), expected);
    else assert.match(await text(where), expected);
  });

// Weights of the grid on the screen, row by row.
export async function gridWeights(page: Page, name: string | RegExp): Promise<number[][]> {
  const grid = page.getByRole("grid", { name });
  await grid.waitFor();
  return grid.evaluate((element) =>
    [...element.querySelectorAll('[role="row"]')].map((row) =>
      [...row.querySelectorAll('[role="gridcell"]')].map((cell) => Number(cell.getAttribute("data-weight"))),
    ),
  );
}

export async function downloaded(page: Page, item: string): Promise<{ name: string; content: Buffer }> {
  await page.locator("summary", { hasText: "Save" }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: item }).click();
  const download = await waiting;
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part as Buffer);
  return { name: download.suggestedFilename(), content: Buffer.concat(parts) };
}
