// Saving what is shown: as a picture, as a page that needs no server, as numbers, as an address.
import { useRef, useState } from "preact/hooks";
import { isFile, resource, shown } from "./api";
import { asPng, snapshot } from "./snapshot";
import { Button } from "./ui";

export const scriptSafe = (json: string): string => json.replace(/</g, "\\u003c");

// This page again, without a server: script, style and Trace inside.
async function standalone(trace: unknown): Promise<string> {
  const page = document.documentElement.cloneNode(true) as HTMLElement;
  page.removeAttribute("data-theme");
  page.querySelector("#page")!.replaceChildren();
  const create = (tag: string, id: string, text: string) => {
    const element = document.createElement(tag);
    element.id = id;
    element.textContent = text;
    return element;
  };
  if (!isFile) {
    const [script, style] = await Promise.all([resource("app.js"), resource("app.css")]);
    const meta = page.querySelector<HTMLMetaElement>('meta[name="fovea-file-policy"]');
    if (meta) {
      meta.removeAttribute("name");
      meta.setAttribute("http-equiv", "Content-Security-Policy");
      page.querySelector("head")!.prepend(page.querySelector("meta[charset]")!, meta);
    }
    page.querySelector('link[rel="stylesheet"]')?.replaceWith(create("style", "style", style));
    const data = create("script", "trace", "");
    data.setAttribute("type", "application/json");
    page.querySelector("script[src]")?.replaceWith(data, create("script", "app", script));
  }
  page.querySelector("#trace")!.textContent = scriptSafe(JSON.stringify(trace));
  return `<!doctype html>\n${page.outerHTML}\n`;
}

// A view without a Trace is saved as what it shows.
const still = (svg: string) =>
  `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" ` +
  `content="default-src 'none'; img-src data:">\n<title>Fovea</title>\n${svg}\n</html>\n`;

function download(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

type Kind = "svg" | "png" | "html" | "json";
const kNames: Record<Kind, string> = {
  svg: "Picture, SVG",
  png: "Picture, PNG",
  html: "Page, HTML",
  json: "Numbers, JSON",
};

async function content(kind: Kind, root: HTMLElement): Promise<Blob> {
  const { exchanges, busy } = shown.now;
  if (busy) throw new Error("The answer is still awaited: save when it is there.");
  const trace = root.dataset.view === "learn" ? undefined : exchanges[0]?.answer;
  if (kind === "png") return asPng(snapshot(root));
  if (kind === "svg") return new Blob([snapshot(root).svg], { type: "image/svg+xml" });
  if (kind === "json") {
    if (exchanges.length === 0) throw new Error("There is no answer, and so no number to save.");
    return new Blob([`${JSON.stringify(trace ?? exchanges, null, 1)}\n`], { type: "application/json" });
  }
  return new Blob([trace ? await standalone(trace) : still(snapshot(root).svg)], { type: "text/html" });
}

// The address without the token: whoever may look has one.
function shareable(): string {
  const address = new URL(location.href);
  address.searchParams.delete("token");
  return address.href;
}

export function SaveMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  const [said, setSaid] = useState("");
  const done = (text: string) => {
    setSaid(text);
    if (menu.current) menu.current.open = false;
    menu.current?.querySelector("summary")?.focus();
    setTimeout(() => setSaid(""), 4000);
  };
  const save = async (kind: Kind) => {
    const root = document.querySelector<HTMLElement>("main");
    if (!root) return;
    try {
      const name = `fovea-${root.dataset.view}.${kind}`;
      download(await content(kind, root), name);
      done(`Saved ${name}`);
    } catch (error) {
      done((error as Error).message);
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(shareable());
      done("Address copied");
    } catch {
      done("Copy the address from the address bar: it holds all that is shown.");
    }
  };
  const leave = (event: FocusEvent) => {
    if (menu.current && !menu.current.contains(event.relatedTarget as Node | null)) menu.current.open = false;
  };
  return (
    <>
      <details ref={menu} class="menu" onFocusOut={leave} onKeyDown={(event) => event.key === "Escape" && done("")}>
        <summary>Save</summary>
        <div class="menu-items">
          {(Object.keys(kNames) as Kind[]).map((kind) => (
            <Button key={kind} onClick={() => save(kind)}>
              {kNames[kind]}
            </Button>
          ))}
          <Button onClick={copy}>Copy address</Button>
        </div>
      </details>
      <p class="toast" role="status">
        {said}
      </p>
    </>
  );
}
