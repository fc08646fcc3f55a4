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

// The same request may be answered another time.
export class Unanswered extends Error {}

async function answer(path: string, options: RequestInit): Promise<unknown> {
  const headers = { "Content-Type": "application/json", ...authorized() };
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unanswered("The server does not answer. Is fovea serve still running?");
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const said = (body as { error?: { message?: unknown } } | null)?.error?.message;
  const text = `The server answered with status ${response.status} and did not say why.`;
  throw new (response.status < 500 ? Error : Unanswered)(typeof said === "string" ? said : text);
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

// What was asked, and the answer to it: shown and saved together.
export interface Exchange<Request, Answer> {
  request: Request;
  answer: Answer;
}

export interface Answered<Request, Answer> {
  exchanges: Exchange<Request, Answer>[]; // those that were answered last, also while the next are awaited
  error: string; // why there are no more of them
  again?: () => void; // asks once more, if that may help
  busy: boolean; // the next are awaited
}

// What the view on the screen shows, for whoever saves it.
export const shown = { now: { exchanges: [], error: "", busy: false } as Answered<unknown, unknown> };

const kMostKept = 40;
const kept = new Map<string, unknown>(); // answers, by what was asked, the last used at the end
const keyOf = (path: string, request: unknown) => `${path} ${JSON.stringify(request)}`;

type Read<Answer> = (body: unknown) => Answer;

async function answerTo<Answer>(path: string, request: unknown, read: Read<Answer>, signal: AbortSignal) {
  const key = keyOf(path, request);
  const found = (kept.get(key) as Answer | undefined) ?? read(await post(path, request, signal));
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > kMostKept) kept.delete(kept.keys().next().value!);
  return found;
}

const kNothing = { asked: "[]", exchanges: [], error: "", temporary: false };
const kFirst = 50; // milliseconds: whoever opens a view has nothing to look at yet

// Asks whenever the requests change, one after the other up to the first that fails; the last requests win. Answers
// are kept, so that going back, or on to another view of the same, is at once. pause: milliseconds without a change
// before the requests count.
function useAnswers<Request, Answer>(
  path: string,
  requests: Request[],
  read: Read<Answer>,
  pause = 0,
): Answered<Request, Answer> {
  type Settled = Omit<Answered<Request, Answer>, "busy" | "again"> & { asked: string; temporary: boolean };
  const asked = JSON.stringify(isFile ? [] : requests);
  const [last, setLast] = useState<Settled>(kNothing);
  const [repeats, setRepeats] = useState(0);
  useEffect(() => {
    if (asked === kNothing.asked) return setLast(kNothing);
    const stop = new AbortController();
    const ask = async () => {
      const settled: Settled = { asked, exchanges: [], error: "", temporary: false };
      try {
        for (const request of requests) {
          settled.exchanges.push({ request, answer: await answerTo(path, request, read, stop.signal) });
        }
      } catch (failure) {
        settled.error = (failure as Error).message;
        settled.temporary = failure instanceof Unanswered;
      }
      if (!stop.signal.aborted) setLast(settled);
    };
    const known = requests.every((one) => kept.has(keyOf(path, one)));
    const timer = setTimeout(ask, known ? 0 : last === kNothing ? Math.min(kFirst, pause) : pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked, repeats]);
  if (asked === kNothing.asked) return { exchanges: [], error: "", busy: false };
  const busy = asked !== last.asked;
  const { exchanges, error, temporary } = last;
  if (busy) return { exchanges, error: "", busy };
  if (!temporary) return { exchanges, error, busy };
  const again = () => {
    setLast(kNothing);
    setRepeats(repeats + 1);
  };
  return { exchanges, error, busy, again };
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

export type Explain = { model: string } & Asked & Required<ExplainOptions>;

// What was asked, the Trace in a file tells itself.
const inlined: Answered<Explain, Trace> = {
  exchanges: inline.trace
    ? [{ request: { model: "", input: "", methods: [], check: false, states: false }, answer: inline.trace }]
    : [],
  error: inline.error,
  busy: false,
};

const kTyping = 200; // milliseconds without a key before a sentence or a question counts as typed
const kChoosing = 50; // an arrow key that is held goes over several pictures

// The same asked of several models. Nothing is asked about nothing.
export function useTraces(models: string[], asked: Asked, options: ExplainOptions = {}): Answered<Explain, Trace> {
  const requests = (isEmpty(asked) ? [] : models).map((model): Explain => {
    return { model, ...asked, methods: [], check: false, states: false, ...options };
  });
  const typed = "input" in asked || asked.question !== undefined;
  const answered = useAnswers("api/explain", requests, readTrace, typed ? kTyping : kChoosing);
  const result = isFile ? inlined : answered;
  const exchanges = result.exchanges.map(({ request, answer }) => ({ request, answer: answer.source }));
  shown.now = { ...result, exchanges };
  return result;
}

export function useTrace(
  model: Model | undefined,
  asked: Asked,
  options: ExplainOptions = {},
): Answered<Explain, Trace> & { trace: Trace | null } {
  const answered = useTraces(model ? [model.name] : [], asked, options);
  return { ...answered, trace: answered.exchanges[0]?.answer ?? null };
}

const readPictures = (body: unknown) => (body as { pictures: BuiltIn[] }).pictures;

// Some pictures of a built-in world, each side of `size` pixels.
export function usePictures(world: string, size: number, first: number, count: number) {
  const answered = useAnswers("api/pictures", world ? [{ world, size, first, count }] : [], readPictures);
  return { ...answered, pictures: answered.exchanges[0]?.answer ?? [] };
}

export interface Attend {
  query: number[][];
  key: number[][];
  value: number[][];
  score: string;
  [option: string]: unknown;
}

const readAttended = (body: unknown) => body as Attended;

export function useAttend(requests: Attend[]): Answered<Attend, Attended> {
  return (shown.now = useAnswers("api/attend", requests, readAttended, 15));
}
