// A server that answers as docs/api.md says, with made-up Traces: for tests without a model.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Ask, kModels, sampleTrace } from "./fixture";
import { mockAttend } from "./mock_attend";
import { type AskPicture, kPictureModels, samplePictures, samplePictureTrace } from "./picture_fixture";

const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'";
const kTypes: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

async function body(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function explained(asked: Ask | AskPicture): unknown {
  if ("image" in asked) {
    if (!kPictureModels.some((one) => one.name === asked.model)) throw new Refusal(404, `no model '${asked.model}'`);
    if (asked.question === "never") throw new Refusal(400, "it takes no such question");
    return samplePictureTrace(asked);
  }
  if (!kModels.some((one) => one.name === asked.model)) throw new Refusal(404, `there is no model '${asked.model}'`);
  if (asked.input.length > 2000) throw new Refusal(413, "the sentence has more than 2000 bytes; shorten it");
  return sampleTrace(asked);
}

async function answer(request: IncomingMessage, models: unknown[]): Promise<unknown> {
  const address = `${request.method} ${request.url?.split("?")[0]}`;
  if (address === "GET /api/health") return { status: "ok" };
  if (address === "GET /api/models") return { version: "0.1.0", models };
  if (address === "POST /api/attend") return mockAttend((await body(request)) as Parameters<typeof mockAttend>[0]);
  if (address === "POST /api/pictures") {
    return { pictures: samplePictures((await body(request)) as Parameters<typeof samplePictures>[0]) };
  }
  if (address === "POST /api/explain") return explained((await body(request)) as Ask | AskPicture);
  throw new Refusal(404, `there is no ${address}`);
}

const kAll = [...kModels, ...kPictureModels];

export async function startMock(
  pageFolder: string,
  models: unknown[] = kAll,
  port = 0,
): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    const name = { "/": "index.html", "/app.js": "app.js", "/app.css": "app.css" }[request.url?.split("?")[0] ?? ""];
    if (name && request.method === "GET") {
      const type = kTypes[name.split(".")[1]!]!;
      response.writeHead(200, { "Content-Type": `${type}; charset=utf-8`, "Content-Security-Policy": kPolicy });
      response.end(readFileSync(path.join(pageFolder, name)));
      return;
    }
    try {
      const found = await answer(request, models);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(found));
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 400;
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ error: { status, message: (error as Error).message } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}/`, close: () => void server.close() };
}
