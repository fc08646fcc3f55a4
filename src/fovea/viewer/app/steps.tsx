// View 2: how each word of the output came about, step by step, with a second model beside the first.
import { useEffect, useState } from "preact/hooks";
import { isFile, type Model, useTrace } from "./api";
import { currentRoute, setParams, useRoute } from "./route";
import { kStages, Story } from "./story";
import { describe, SentenceBar, useSubject } from "./subject";
import { axisOf, defaultHeads, type Head, type Trace } from "./trace";
import { Button, Choice, ErrorLine, Note, Select } from "./ui";
import { plain } from "./words";

const kPace = { slow: 2600, normal: 1300, fast: 450 } as const; // milliseconds a stage
type Pace = keyof typeof kPace;

interface Place {
  index: number; // of the output word
  stage: number;
}

const labelsOf = (trace: Trace) => axisOf(trace, "target").labels.map((one) => plain(one.text));

// The words said so far, the one that is being found, and room for those to come.
function Said({ trace, index, stage }: { trace: Trace; index: number; stage: number }) {
  const words = labelsOf(trace);
  return (
    <p class="said-line" aria-label="Output so far">
      {words.map((word, i) => {
        const known = i < index || (i === index && stage === kStages.length - 1);
        return (
          <button
            key={i}
            type="button"
            class={i === index ? "now" : known ? "known" : "coming"}
            aria-label={known ? word : `word ${i + 1}`}
            aria-current={i === index ? "step" : undefined}
            onClick={() => setParams({ i: String(i), s: "0" })}
          >
            {known ? word : "\u00a0\u00a0·\u00a0\u00a0"}
          </button>
        );
      })}
    </p>
  );
}

function ModelStory(props: { trace: Trace; title: string; place: Place }) {
  const { trace, title } = props;
  const { params } = useRoute();
  const usual = defaultHeads(trace);
  const ended = props.place.index >= trace.steps.length;
  const index = Math.min(props.place.index, trace.steps.length - 1);
  const stage = ended ? kStages.length - 1 : props.place.stage;
  const one: Head[] = params.h ? usual.filter((head) => String(head.head) === params.h) : usual;
  return (
    <section class="model-story" aria-label={title}>
      <div class="story-head">
        <h2>{title}</h2>
        {usual.length > 1 && (
          <Select
            label="Head"
            value={params.h ?? ""}
            options={[
              ["", "mean of heads"],
              ...usual.map((head) => [String(head.head), `head ${head.head + 1}`] as const),
            ]}
            onChange={(h) => setParams({ h })}
          />
        )}
      </div>
      <Said trace={trace} index={index} stage={stage} />
      {ended && <p class="quiet">It has said its last word.</p>}
      <Story trace={trace} heads={one.length > 0 ? one : usual} index={index} stage={stage} title={title} />
    </section>
  );
}

const whole = (text: string | undefined, most: number) =>
  Math.max(0, Math.min(most, Number.parseInt(text ?? "0", 10) || 0));
const placeIn = (params: Record<string, string>, count: number): Place => ({
  index: whole(params.i, Math.max(0, count - 1)),
  stage: whole(params.s, kStages.length - 1),
});
const setPlace = (next: Place) => setParams({ i: String(next.index), s: String(next.stage) });

// Goes on by itself while it plays.
function usePlaying(place: Place, count: number, pace: Pace): [boolean, (playing: boolean) => void] {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      const next = moved(place, 1, count);
      if (next) setPlace(next);
      else setPlaying(false);
    }, kPace[pace]);
    return () => clearTimeout(timer);
  }, [playing, pace, place.index, place.stage, count]);
  return [playing, setPlaying];
}

// A stage on or back, over the borders of words; null beyond the first and the last.
export function moved({ index, stage }: Place, by: 1 | -1, count: number): Place | null {
  const at = index * kStages.length + stage + by;
  if (at < 0 || at >= count * kStages.length) return null;
  return { index: Math.floor(at / kStages.length), stage: at % kStages.length };
}

// Bars and triangles, drawn: not every system has these signs in its letters.
function Sign({ of }: { of: "first" | "back" | "on" | "last" }) {
  const paths = {
    first: "M3 3v10M13 3L6 8l7 5z",
    back: "M12 3L5 8l7 5z",
    on: "M4 3l7 5-7 5z",
    last: "M13 3v10M3 3l7 5-7 5z",
  };
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={paths[of]} fill="currentColor" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
    </svg>
  );
}

function Player({ first, second, names }: { first: Trace; second: Trace | null; names: [string, string] }) {
  const count = Math.max(first.steps.length, second?.steps.length ?? 0);
  const place = placeIn(useRoute().params, count);
  const [pace, setPace] = useState<Pace>("normal");
  const [playing, setPlaying] = usePlaying(place, count, pace);
  const go = (next: (from: Place) => Place | null) => {
    setPlaying(false);
    const to = next(placeIn(currentRoute().params, count));
    if (to) setPlace(to);
  };
  const step = (by: 1 | -1) => go((from) => moved(from, by, count));
  const word = (by: 1 | -1) =>
    go(({ index }) => (index + by >= 0 && index + by < count ? { index: index + by, stage: 0 } : null));
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowRight") step(1);
      else if (event.key === "ArrowLeft") step(-1);
      else if (event.key === "ArrowDown") word(1);
      else if (event.key === "ArrowUp") word(-1);
      else if (event.key === " " && target.tagName !== "BUTTON") setPlaying(!playing);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
  const play = () => {
    if (!playing && !moved(place, 1, count)) setPlace({ index: 0, stage: 0 });
    setPlaying(!playing);
  };
  return (
    <>
      <div class="figure-bar player">
        <div class="controls" role="group" aria-label="Player" data-unsaved>
          <Button aria-label="To the beginning" onClick={() => go(() => ({ index: 0, stage: 0 }))}>
            <Sign of="first" />
          </Button>
          <Button aria-label="A step back" onClick={() => step(-1)}>
            <Sign of="back" />
          </Button>
          <Button class="primary" onClick={play}>
            {playing ? "Pause" : "Play"}
          </Button>
          <Button aria-label="A step on" onClick={() => step(1)}>
            <Sign of="on" />
          </Button>
          <Button aria-label="To the end" onClick={() => go(() => ({ index: count - 1, stage: kStages.length - 1 }))}>
            <Sign of="last" />
          </Button>
          <Choice
            label="Pace"
            value={pace}
            options={[
              ["slow", "Slow"],
              ["normal", "Normal"],
              ["fast", "Fast"],
            ]}
            onChange={setPace}
          />
        </div>
        <span class="quiet" role="status">
          Word {place.index + 1} of {count}, step {place.stage + 1} of {kStages.length}: {kStages[place.stage]}
        </span>
      </div>
      <div class={`stories${second ? " two" : ""}`}>
        <ModelStory trace={first} title={names[0]} place={place} />
        {second && <ModelStory trace={second} title={names[1]} place={place} />}
      </div>
    </>
  );
}

function otherModel(models: Model[], model: Model | undefined, name: string | undefined): Model | undefined {
  if (name === "-") return undefined;
  return (
    models.find((one) => one.name === name) ??
    models.find((one) => one !== model && one.task === model?.task && one.attends !== model?.attends)
  );
}

export function Steps() {
  const { models, model, text } = useSubject();
  const { params } = useRoute();
  const other = isFile ? undefined : otherModel(models, model, params.m2);
  const first = useTrace(model?.name ?? "", text, { states: true });
  const second = useTrace(other?.name ?? "", text, { states: true }, false);
  const trace = first.value;
  const title = (one: Model | undefined, of: Trace | null) => (one ? describe(one) : (of?.model ?? ""));
  const beside = [["-", "none"] as const, ...models.map((one) => [one.name, describe(one)] as const)];
  return (
    <>
      <SentenceBar busy={first.busy || second.busy} />
      <ErrorLine text={first.error || second.error} />
      {!isFile && models.length > 1 && (
        <Select label="Beside it" value={other?.name ?? "-"} options={beside} onChange={(m2) => setParams({ m2 })} />
      )}
      {trace && trace.steps.length === 0 && <Note>This Trace has no steps.</Note>}
      {trace && trace.steps.length > 0 && (
        <Player
          first={trace}
          second={other && second.value && second.value.steps.length > 0 ? second.value : null}
          names={[title(model, trace), title(other, second.value)]}
        />
      )}
    </>
  );
}
