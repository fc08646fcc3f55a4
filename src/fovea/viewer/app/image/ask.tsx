// A question about a picture, where the model looked for the answer, and how sure it is.
import { isFile, useTrace } from "../api";
import { Distribution } from "../distribution";
import { useRoute } from "../route";
import { axisOf, type Head, type Label, type Trace } from "../trace";
import { Note, percent, Result } from "../ui";
import { mean } from "../words";
import { LookBar, pictureOf, Untrained, useTruth } from "./frame";
import { Looked } from "./looked";
import { shareIn, told } from "./regions";
import { QuestionBar } from "./question";
import { PictureBar, usePictureSubject } from "./subject";

// The heads that look for the answer, hop after hop.
export function hopsOf(trace: Trace): Head[][] {
  const heads = trace.heads.filter((one) => one.kind === "cross" && one.queries === "target");
  return [...new Set(heads.map((one) => one.layer))]
    .sort((a, b) => a - b)
    .map((layer) => heads.filter((one) => one.layer === layer));
}

function Hop(props: { trace: Trace; heads: Head[]; name: string; truth: ReturnType<typeof useTruth> }) {
  const { trace, heads, name, truth } = props;
  const { params } = useRoute();
  const cells = axisOf(trace, heads[0]!.keys).labels;
  const row = mean(heads.map((one) => one.weights))[0] ?? [];
  const image = pictureOf(trace);
  const boxes = truth.known.filter((one) => one.box);
  const inside = Math.min(
    1,
    boxes.reduce((sum, one) => sum + shareIn(row, cells, one.box!), 0),
  );
  return (
    <figure class="large-picture hop">
      <Looked
        image={image}
        label={`${name}: ${told(row, cells, image)}`}
        cells={cells}
        row={row}
        exact={params.form === "cells"}
        truth={truth.shown}
      />
      <figcaption>
        <strong>{name}</strong>
        {boxes.length > 0 && (
          <>
            {" "}
            <span data-number="inside">{percent(inside)}</span> of its weight{" "}
            {boxes.length > 1 ? "in the true boxes" : "in the true box"}
          </>
        )}
      </figcaption>
    </figure>
  );
}

function Verdict({ trace, truth }: { trace: Trace; truth: Label[] }) {
  const right = truth[0]?.text;
  if (right === undefined) return null;
  const good = right === trace.output;
  return <p class={good ? "verdict good" : "verdict bad"}>{good ? "So it is." : `In truth: ${right}.`}</p>;
}

function Answered({ trace }: { trace: Trace }) {
  const truth = useTruth(trace);
  const hops = hopsOf(trace);
  const name = (i: number) => (hops.length === 1 ? "Where it looked" : `Look ${i + 1}`);
  return (
    <div class={`look-view answer-first${hops.length > 1 ? " many" : ""}`}>
      <div class="hops">
        {hops.map((heads, i) => (
          <Hop key={i} trace={trace} heads={heads} name={name(i)} truth={truth} />
        ))}
        {hops.length === 0 && (
          <figure class="large-picture hop">
            <Looked image={pictureOf(trace)} label="The picture" truth={truth.shown} />
            <figcaption>This model does not attend: it reads the whole picture at once.</figcaption>
          </figure>
        )}
      </div>
      <div class="beside">
        <p class="big-answer" aria-live="polite">
          {trace.output}
        </p>
        <Verdict trace={trace} truth={truth.known} />
        {trace.steps[0] && (
          <section>
            <h2>How sure it is</h2>
            <Distribution choices={trace.steps[0].choices} said={trace.output} label="Answers" />
          </section>
        )}
        <LookBar truth={truth} cells={hops.length > 0} />
      </div>
    </div>
  );
}

export function Ask() {
  const subject = usePictureSubject((one) => one.task === "answer");
  const answered = useTrace(subject.model, subject.asked);
  const { trace, busy } = answered;
  if (!isFile && subject.models.length === 0) return <Untrained task="answer" does="answers questions" />;
  return (
    <>
      <PictureBar subject={subject} busy={busy} />
      <QuestionBar subject={subject} />
      {!isFile && subject.question === "" && subject.pictures.length > 0 && <Note>Type a question.</Note>}
      <Result of={answered}>{trace && <Answered trace={trace} />}</Result>
    </>
  );
}
