// The page: its views, what is common to them, and where it all begins.
import { Component, type ComponentChildren, type FunctionComponent, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { inline, isFile, listModels, type Model } from "./api";
import { Heads } from "./heads";
import { Ask } from "./image/ask";
import { Caption } from "./image/caption";
import { Glimpse } from "./image/glimpse";
import { Learn } from "./learn/learn";
import { Methods } from "./methods";
import { useRoute, viewAddress } from "./route";
import { SaveMenu } from "./save";
import { Steps } from "./steps";
import "./style.css";
import { Models } from "./subject";
import { setTheme, useTheme } from "./theme";
import { lookOf, type Trace } from "./trace";
import { Translate } from "./translate";
import { Button, ErrorLine } from "./ui";

interface View {
  id: string;
  name: string;
  lede: string;
  show: FunctionComponent;
  fits: (model: Model) => boolean; // a view that no model fits is not offered
  has: (trace: Trace) => boolean; // is there anything to see of it in a file?
}

const ofText = (model: Model) => !model.image;
const ofTask = (task: string) => ({
  fits: (model: Model) => model.task === task,
  has: (trace: Trace) => lookOf(trace) === task,
});

const kViews: View[] = [
  {
    id: "translate",
    name: "Translate",
    lede: "Type a sentence. Point at a word to see where it looked.",
    show: Translate,
    fits: ofText,
    has: (trace) => lookOf(trace) === "text",
  },
  {
    id: "steps",
    name: "Step by step",
    lede: "How each word comes about: five steps, again and again, until the sentence ends.",
    show: Steps,
    fits: ofText,
    has: (trace) => lookOf(trace) === "text" && trace.steps.length > 0 && trace.steps.length <= 400,
  },
  {
    id: "heads",
    name: "Heads",
    lede: "Every head of every layer looks in its own way.",
    show: Heads,
    fits: ofText,
    has: (trace) => lookOf(trace) === "text" && trace.heads.length > 0,
  },
  {
    id: "caption",
    name: "Caption",
    lede: "A picture put into words. Each word lights up what it was read from.",
    show: Caption,
    ...ofTask("caption"),
  },
  {
    id: "ask",
    name: "Ask",
    lede: "Ask about a picture, and see where the answer comes from.",
    show: Ask,
    ...ofTask("answer"),
  },
  {
    id: "glimpse",
    name: "Glimpse",
    lede: "Never the whole picture: a few glimpses, and after each the choice of where to look next.",
    show: Glimpse,
    ...ofTask("glimpse"),
  },
  {
    id: "without",
    name: "Without attention",
    lede: "Where a network looks though nobody asked it to, and how far each map can be trusted.",
    show: Methods,
    fits: (model) => model.methods.length > 0,
    has: (trace) => trace.methods.length > 0 || lookOf(trace) === "classify",
  },
  {
    id: "learn",
    name: "Learn",
    lede: "Attention from the beginning, hands on. Every number comes live from the library.",
    show: Learn,
    fits: () => true,
    has: () => false,
  },
];

// A file shows what its Trace has; a server can be asked for what its models do. The view that the address names is
// there in any case: it says what to train.
function views(models: Model[], named: string): View[] {
  if (!isFile) {
    return kViews.filter((view) => view.id === named || models.length === 0 || models.some(view.fits));
  }
  const { trace } = inline;
  const found = trace ? kViews.filter((view) => view.has(trace)) : [];
  const plain = {
    ...kViews[0]!,
    name: "Attention",
    lede: "Point at a word, or choose a cell, to see where it looked.",
  };
  return found.length === 0 ? [plain] : found.map((view) => (view.id === plain.id ? plain : view));
}

function Brand({ home }: { home: string }) {
  return (
    <a class="brand" href={viewAddress(home)}>
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <circle cx="16" cy="16" r="14" fill-opacity=".16" />
        <circle cx="16" cy="16" r="9" fill-opacity=".4" />
        <circle cx="16" cy="16" r="4" />
      </svg>
      Fovea
    </a>
  );
}

function ThemeButton() {
  const { dark } = useTheme();
  const name = dark ? "Light" : "Dark";
  return (
    <Button class="theme" aria-label={`${name} colours`} onClick={() => setTheme(dark ? "light" : "dark")}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7.2" fill="none" stroke="currentColor" stroke-width="1.6" />
        <path d="M10 2.8 A7.2 7.2 0 0 1 10 17.2 Z" fill="currentColor" />
      </svg>
    </Button>
  );
}

// A view that fails says so, and the others go on.
class Guard extends Component<{ children: ComponentChildren }, { failure: string }> {
  state = { failure: "" };
  static getDerivedStateFromError(error: Error) {
    return { failure: error.message };
  }
  render() {
    if (!this.state.failure) return this.props.children;
    return <ErrorLine text={`This view could not be drawn: ${this.state.failure}`} />;
  }
}

function Page() {
  const route = useRoute();
  const [models, setModels] = useState<Model[]>([]);
  const [error, setError] = useState(inline.error);
  const load = () => {
    listModels().then(
      (found) => {
        setModels(found);
        setError(found.length > 0 ? "" : "The server has no models; start it as: fovea serve MODEL...");
      },
      (failure: Error) => setError(failure.message),
    );
  };
  useEffect(() => {
    if (!isFile) load();
  }, []);
  const all = views(models, route.view);
  const view = all.find((one) => one.id === route.view) ?? all[0]!;
  useEffect(() => {
    document.title = `${view.name} · Fovea`;
    // On a phone the row of views is longer than the screen.
    document.querySelector(".top nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [view.id]);
  const Shown = view.show;
  const ready = isFile ? inline.trace !== null : models.length > 0;
  return (
    <Models.Provider value={models}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>("main")?.focus())}
      >
        To the content
      </a>
      <header class="top">
        <Brand home={all[0]!.id} />
        <nav aria-label="Views">
          {all.map((one) => (
            <a key={one.id} href={viewAddress(one.id)} aria-current={one.id === view.id ? "page" : undefined}>
              {one.name}
            </a>
          ))}
        </nav>
        <div class="tools">
          <SaveMenu />
          <ThemeButton />
        </div>
      </header>
      <main id="main" tabIndex={-1} data-view={view.id}>
        <div class="title">
          <h1>{view.name}</h1>
          <p class="lede">{view.lede}</p>
        </div>
        <ErrorLine text={error} again={isFile ? undefined : load} />
        {ready && (
          <Guard key={view.id}>
            <Shown />
          </Guard>
        )}
      </main>
    </Models.Provider>
  );
}

render(<Page />, document.getElementById("page")!);
