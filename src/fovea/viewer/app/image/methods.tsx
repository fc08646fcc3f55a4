// Without attention, for pictures: a card for each method, the map over the picture; and self-attention from a place
// that is chosen.
import { useState } from "preact/hooks";
import { type Model, useTrace } from "../api";
import { Distribution } from "../distribution";
import { asSentence, CheckBox, Correlation, Figures } from "../methods";
import { whole } from "../player";
import { setParams, useRoute } from "../route";
import { axisOf, type Head, type Method, type Trace } from "../trace";
import { Note, Result } from "../ui";
import { LookBar, pictureOf, Pointed, useTruth } from "./frame";
import { Looked } from "./looked";
import { gridOf, placeOf, strongest, told } from "./regions";
import { QuestionBar } from "./question";
import { PictureBar, usePictureSubject } from "./subject";
import { wordsOf } from "./words";

function MethodCard({ trace, method, row }: { trace: Trace; method: Method; row: number }) {
  const { params } = useRoute();
  const truth = useTruth(trace);
  const cells = axisOf(trace, method.keys).labels;
  const weights = method.weights[Math.min(row, method.weights.length - 1)] ?? [];
  const image = pictureOf(trace);
  const nothing = method.signed && !weights.some((one) => (one ?? 0) > 0);
  return (
    <section class="card" aria-label={method.name}>
      <h2>{method.name}</h2>
      <p class="quiet">
        {asSentence(method.about)}
        {method.signed && " Blue speaks for the output, orange against it."}
      </p>
      <Looked
        image={image}
        label={`${method.name}: ${told(weights, cells, image)}`}
        cells={cells}
        row={weights}
        look="colour"
        signed={method.signed}
        exact={params.form === "cells"}
        truth={truth.shown}
        named={false}
      />
      {nothing && <p class="verdict bad">Nothing in the picture speaks for it.</p>}
      <Figures figures={method.figures} />
    </section>
  );
}

// Where a location looks: the one that is pointed at, chosen, or at first the middle one.
function SelfCard({ trace, heads }: { trace: Trace; heads: Head[] }) {
  const { params } = useRoute();
  const [pointed, setPointed] = useState<number | null>(null);
  const head = heads[whole(params.block, heads.length - 1)]!;
  const cells = axisOf(trace, head.keys).labels;
  const columns = gridOf(cells)?.columns ?? 1;
  const middle = Math.floor((cells.length + columns) / 2);
  const chosen = params.from === undefined ? middle : whole(params.from, cells.length - 1);
  const from = pointed ?? chosen;
  const image = pictureOf(trace);
  const row = head.weights[from] ?? [];
  const place = (k: number) => (cells[k]?.box ? placeOf(cells[k]!.box!, image) : "");
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (by === undefined || !cells[chosen + by]) return;
    event.preventDefault();
    setParams({ from: String(chosen + by) });
  };
  return (
    <section class="card" aria-label="Self-attention">
      <h2>Self-attention</h2>
      <p class="quiet">Point at a place, choose it, or go by arrow keys: what it gathers from the rest lights up.</p>
      <div class="steered" tabIndex={0} role="application" aria-label="Choose a place by arrow keys" onKeyDown={move}>
        <Looked
          image={image}
          label={`From the ${place(from)}: ${told(row, cells, image)}`}
          cells={cells}
          row={row}
          exact={params.form === "cells"}
          onChoose={(k) => setParams({ from: String(k) })}
          onPoint={setPointed}
        >
          <Pointed box={cells[from]?.box} />
        </Looked>
      </div>
      <p class="quiet told-line" aria-live="polite">
        From the {place(from)}, most at the {place(strongest(row, 1)[0] ?? 0)}.
      </p>
    </section>
  );
}

function Maps({ trace }: { trace: Trace }) {
  const { params } = useRoute();
  const words = wordsOf(trace);
  const row = whole(params.i, Math.max(0, words.length - 1));
  const selves = trace.heads.filter((one) => one.kind === "self");
  return (
    <>
      {words.length > 1 && (
        <p class="caption-words" aria-label="Output">
          {words.map(({ text }, i) => (
            <button
              key={i}
              type="button"
              class={i === row ? "now" : ""}
              aria-pressed={i === row}
              onClick={() => setParams({ i: String(i) })}
            >
              {text}
            </button>
          ))}
        </p>
      )}
      <div class="cards">
        {words.length <= 1 && trace.steps[0] && (
          <section class="card" aria-label="Output">
            <h2>What it says</h2>
            <p class="big-answer">{trace.output}</p>
            <Distribution choices={trace.steps[0].choices} said={trace.output} label="Likeliest" />
          </section>
        )}
        {selves.length > 0 && <SelfCard trace={trace} heads={selves} />}
        {trace.methods.map((method) => (
          <MethodCard key={method.name} trace={trace} method={method} row={words[row]?.step ?? 0} />
        ))}
      </div>
      <Correlation trace={trace} />
    </>
  );
}

export function PictureMethods({ models }: { models: Model[] }) {
  const { params } = useRoute();
  const subject = usePictureSubject((one) => models.includes(one));
  const { model } = subject;
  const options = { methods: model?.methods ?? [], check: params.check === "1" };
  const answered = useTrace(model, subject.asked, options);
  const { trace, busy } = answered;
  const truth = useTruth(trace);
  return (
    <>
      <PictureBar subject={subject} busy={busy} />
      {model?.asks && <QuestionBar subject={subject} />}
      <div class="figure-bar">
        <LookBar truth={truth} cells />
        <CheckBox busy={busy} />
      </div>
      <Result of={answered}>
        {trace && trace.methods.length === 0 && <Note>There are no maps of methods in this Trace.</Note>}
        {trace && <Maps trace={trace} />}
      </Result>
    </>
  );
}
