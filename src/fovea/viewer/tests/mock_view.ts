// The page in Chromium on a server with made-up Traces, for the tests of one file.
import { after, before } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launch, visit } from "./browser";
import { startMock } from "./mock_server";

let browser: Browser;
let mock: Awaited<ReturnType<typeof startMock>>;
before(async () => {
  mock = await startMock(process.env.FOVEA_PAGE_FOLDER!);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  mock?.close();
});

type Use = (page: Page) => Promise<void>;
type Options = BrowserContextOptions & { expected?: RegExp };

export const opened = (url: string, use: Use, options: Options = {}) => visit(browser, url, use, options);
export const view = (hash: string, use: Use, options: Options = {}) => opened(mock.url + hash, use, options);
