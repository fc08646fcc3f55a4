// What the page asks the server (docs/api.md). Errors become one line for people to read.
import { useEffect, useState } from "preact/hooks";
import { type Box, readTrace, type Trace } from "./trace";

export interface Model {
  name: string;
  task: string;
  model: string; // kind: "bahdanau", "fixed", ...
  parameters: number;
  attends: boolean;
  layers: number;
  heads: number;
  methods: string[];
  examples: string[];
  // Of models that look at pictures:
  image: { width: number; height: number; channels: number } | null;
  asks: boolean; // it takes a question
  world: string; // the built-in one whose pictures fit it
}

// What a model is asked about: a sentence; or a picture (a built-in one's name, or a file in base64).
export type Asked = { input: string } | { image: string; question?: string };

export interface Attended {
  scores: (number | null)[][];
  weights: number[][];
  output: number[][];
  entropy: number[];
  hard?: { index: number[]; output: number[][]; mean_output: number[][] };
  gradient?: { exact: number[][]; sampled: number[][]; with_baseline: number[][] };
}

export interface BuiltIn {
  name: string; // "scene:17"
  png: string;
  about: string;
  questions: string[];
  boxes: { text: string; box: Box }[];
}

const token = new URLSearchParams(location.search).get("token");

const authorized = (): Record<string, string> => (token === null ? {} : { Authorization: `Bearer ${token}` });

// The text of a file that the page itself consists of.
export async function resource(path: string): Promise<string> {
  const response = await fetch(path, { headers: authorized() });
  if (!response.ok) throw new Error(`The server no longer gives ${path}.`);
  return response.text();
}

// What the view on the screen shows, for whoever saves it.
export const shown = {
  trace: null as Trace | null,
  attended: new Map<string, { request: unknown; answer: Attended }>(), // by lesson
};

async function answer(path: string, options: RequestInit): Promise<unknown> {
  const headers = { "Content-Type": "application/json", ...authorized() };
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is fovea serve still running?");
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const said = (body as { error?: { message?: unknown } } | null)?.error?.message;
  if (typeof said === "string") throw new Error(said);
  throw new Error(`The server answered with status ${response.status} and did not say why.`);
}

const signalled = (signal?: AbortSignal): RequestInit => (signal ? { signal } : {});

export const get = (path: string, signal?: AbortSignal) => answer(path, signalled(signal));
export const post = (path: string, body: unknown, signal?: AbortSignal) =>
  answer(path, { ...signalled(signal), method: "POST", body: JSON.stringify(body) });

export async function listModels(): Promise<Model[]> {
  const body = (await get("api/models")) as { models?: Partial<Model>[] };
  return (body.models ?? []).map((one) => ({
    name: one.name ?? "",
    task: one.task ?? "",
    model: one.model ?? "",
    parameters: one.parameters ?? 0,
    attends: one.attends ?? true,
    layers: one.layers ?? 1,
    heads: one.heads ?? 1,
    methods: one.methods ?? [],
    examples: one.examples ?? [],
    image: one.image ?? null,
    asks: one.asks ?? false,
    world: one.world ?? "",
  }));
}

export interface Answered<Value> {
  value: Value | null; // the last answer, also while the next is awaited
  error: string;
  busy: boolean;
}

const kMostKept = 40;
const kept = new Map<string, unknown>(); // answers, by what was asked

// Asks again whenever `key` changes; the last question wins. Answers are kept, so that going back, or on to another
// view of the same, is at once.
export function useAnswer<Value>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<Value>,
  delay = 0,
): Answered<Value> {
  const [state, setState] = useState<Answered<Value>>({ value: null, error: "", busy: key !== null });
  useEffect(() => {
    if (key === null) {
      setState({ value: null, error: "", busy: false });
      return;
    }
    const known = kept.get(key);
    if (known !== undefined) {
      setState({ value: known as Value, error: "", busy: false });
      return;
    }
    const stop = new AbortController();
    setState((last) => ({ ...last, busy: true }));
    const timer = setTimeout(async () => {
      try {
        const value = await ask(stop.signal);
        if (stop.signal.aborted) return;
        if (kept.size >= kMostKept) kept.clear();
        kept.set(key, value);
        setState({ value, error: "", busy: false });
      } catch (error) {
        if (!stop.signal.aborted) setState((last) => ({ ...last, error: (error as Error).message, busy: false }));
      }
    }, delay);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  return state;
}

function inlineTrace(): { trace: Trace | null; error: string } {
  const element = document.getElementById("trace");
  if (!element) return { trace: null, error: "" };
  try {
    return { trace: readTrace(JSON.parse(element.textContent ?? "")), error: "" };
  } catch (error) {
    return { trace: null, error: (error as Error).message };
  }
}

// The Trace that came with the page, if it is a file that was saved; then there is no server to ask.
export const inline = inlineTrace();
export const isFile = document.getElementById("trace") !== null;

export interface ExplainOptions {
  methods?: string[];
  check?: boolean;
  states?: boolean;
}

const isEmpty = (asked: Asked) => ("input" in asked ? !asked.input : !asked.image || asked.question === "");

// Nothing is asked of no model, or about nothing. main: it is the Trace that the view is about, and that is saved.
export function useTrace(model: string, asked: Asked, options: ExplainOptions = {}, main = true): Answered<Trace> {
  const request = { model, ...asked, methods: [], check: false, states: false, ...options };
  const key = isFile || !model || isEmpty(asked) ? null : JSON.stringify(request);
  const answer = useAnswer(key, async (signal) => readTrace(await post("api/explain", request, signal)), 50);
  const result = isFile ? { value: inline.trace, error: inline.error, busy: false } : answer;
  if (main) shown.trace = result.value;
  return result;
}

// Some pictures of a built-in world, each side of `size` pixels.
export function usePictures(world: string, size: number, first: number, count: number): Answered<BuiltIn[]> {
  const request = { world, size, first, count };
  return useAnswer(world && !isFile ? `pictures ${JSON.stringify(request)}` : null, async (signal) => {
    const { pictures } = (await post("api/pictures", request, signal)) as { pictures: BuiltIn[] };
    return pictures;
  });
}

// lesson: the name under which the numbers are saved.
export function useAttend(lesson: string, request: Record<string, unknown> | null): Answered<Attended> {
  const key = request && !isFile ? JSON.stringify(request) : null;
  const answer = useAnswer(key, async (signal) => (await post("api/attend", request, signal)) as Attended, 15);
  if (answer.value) shown.attended.set(lesson, { request, answer: answer.value });
  return answer;
}
