// How each word of the output came about, step by step, with a second model beside the first.
import { isFile, type Model, useTraces } from "./api";
import { Player, whole } from "./player";
import { setParams, useRoute } from "./route";
import { kStages, Story } from "./story";
import { describe, SentenceBar, useSubject } from "./subject";
import { axisOf, defaultHeads, type Head, type Trace } from "./trace";
import { Note, Result, Select } from "./ui";
import { plain } from "./words";

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

interface Told {
  title: string; // the model's
  trace: Trace;
}

function ModelStory(props: Told & { place: Place }) {
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

const kCount = kStages.length;

// All stories, a stage at a time; the longest says how many there are.
function Stories({ stories }: { stories: Told[] }) {
  const { params } = useRoute();
  const words = Math.max(...stories.map(({ trace }) => trace.steps.length));
  const read = (from: Record<string, string>) =>
    whole(from.i, Math.max(0, words - 1)) * kCount + whole(from.s, kCount - 1);
  const at = read(params);
  const place: Place = { index: Math.floor(at / kCount), stage: at % kCount };
  return (
    <>
      <Player
        count={words * kCount}
        stride={kCount}
        read={read}
        write={(step) => setParams({ i: String(Math.floor(step / kCount)), s: String(step % kCount) })}
        status={`Word ${place.index + 1} of ${words}, step ${place.stage + 1} of ${kCount}: ${kStages[place.stage]}`}
      />
      <div class={`stories${stories.length > 1 ? " two" : ""}`}>
        {stories.map((told, i) => (
          <ModelStory key={i} {...told} place={place} />
        ))}
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
  const asked = [model, other].flatMap((one) => one?.name ?? []);
  const answered = useTraces(asked, { input: text }, { states: true });
  const { exchanges, busy } = answered;
  const title = (name: string) => models.filter((one) => one.name === name).map(describe)[0];
  const stories = exchanges
    .map(({ request, answer }): Told => ({ title: title(request.model) ?? answer.model, trace: answer }))
    .filter(({ trace }) => trace.steps.length > 0);
  const beside = [["-", "none"] as const, ...models.map((one) => [one.name, describe(one)] as const)];
  return (
    <>
      <SentenceBar busy={busy} />
      {!isFile && models.length > 1 && (
        <div class="figure-bar">
          <Select label="Beside it" value={other?.name ?? "-"} options={beside} onChange={(m2) => setParams({ m2 })} />
        </div>
      )}
      <Result of={answered}>
        {exchanges.length > 0 && stories.length === 0 && <Note>This Trace has no steps.</Note>}
        {stories.length > 0 && <Stories stories={stories} />}
      </Result>
    </>
  );
}
