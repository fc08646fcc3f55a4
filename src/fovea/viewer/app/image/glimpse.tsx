// A picture read by glimpses, one after the other: the path, what the retina saw, what is believed after each.
import { useMemo } from "preact/hooks";
import { isFile, useTrace } from "../api";
import { Distribution } from "../distribution";
import { Matrix } from "../matrix";
import { Player, whole } from "../player";
import { setParams, useRoute } from "../route";
import { axisOf, type Box, type Label, type Trace } from "../trace";
import { Note, Result } from "../ui";
import { LookBar, pictureOf, Untrained, useTruth } from "./frame";
import { Looked, Outline, type Picture } from "./looked";
import { type Patch, patchesOf, Retina } from "./retina";
import { placeOf } from "./regions";
import { PictureBar, usePictureSubject } from "./subject";

const centre = (box: Box): [number, number] => [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];

// Numbered places, up to the one that is shown, and its patches around it.
function Path({
  boxes,
  shown,
  patches,
  image,
}: {
  boxes: (Box | undefined)[];
  shown: number;
  patches: Patch[];
  image: Picture;
}) {
  const radius = Math.max(image.width, image.height) / 34;
  const seen = boxes.slice(0, shown + 1).flatMap((box, i) => (box ? [{ at: centre(box), i }] : []));
  return (
    <g class="path">
      {patches.map(({ box }, i) => (
        <Outline key={i} box={box} class={i === 0 ? "finest" : "coarse"} />
      ))}
      <polyline
        class="under"
        points={seen.map(({ at }) => at.join(",")).join(" ")}
        vector-effect="non-scaling-stroke"
      />
      <polyline points={seen.map(({ at }) => at.join(",")).join(" ")} vector-effect="non-scaling-stroke" />
      {seen.map(({ at: [x, y], i }) => (
        <g key={i} class={i === shown ? "stop now" : "stop"}>
          <circle cx={x} cy={y} r={i === shown ? 1.25 * radius : radius} vector-effect="non-scaling-stroke" />
          <text x={x} y={y + 0.42 * radius} font-size={1.25 * radius} text-anchor="middle">
            {i + 1}
          </text>
        </g>
      ))}
    </g>
  );
}

// Classes in an order that stays: numbers by their size, the rest by letters.
function classesOf(trace: Trace): string[] {
  const all = new Set(trace.steps.flatMap((step) => step.choices.map((one) => one.text)));
  return [...all].sort((a, b) => Number(a) - Number(b) || a.localeCompare(b));
}

function Beliefs({ trace, shown }: { trace: Trace; shown: number }) {
  const classes = useMemo(() => classesOf(trace), [trace]);
  const belief = (i: number) =>
    classes.map((text) => trace.steps[i]?.choices.find((one) => one.text === text)?.probability ?? 0);
  const now = belief(shown);
  const said = axisOf(trace, "target").labels[shown]?.text ?? "";
  if (classes.length === 0) return null;
  return (
    <section class="beliefs">
      <h2>
        After glimpse {shown + 1} it believes: <span class="believed">{said}</span>
      </h2>
      <Distribution
        choices={classes.map((text, i) => ({ text, probability: now[i]! }))}
        said={said}
        label="Belief"
        most={20}
      />
    </section>
  );
}

function History({ trace, shown }: { trace: Trace; shown: number }) {
  const classes = useMemo(() => classesOf(trace), [trace]);
  const map = {
    queries: trace.steps.map((_, i) => String(i + 1)),
    keys: classes,
    weights: trace.steps.map((step) =>
      classes.map((text) => step.choices.find((one) => one.text === text)?.probability ?? 0),
    ),
    signed: false,
    shares: true,
  };
  if (classes.length === 0 || trace.steps.length < 2) return null;
  return (
    <section class="history">
      <h2>Belief, glimpse by glimpse</h2>
      <Matrix
        map={map}
        label="Belief: a row for each glimpse, a column for each class"
        selected={{
          query: shown,
          key: Math.max(0, classes.indexOf(axisOf(trace, "target").labels[shown]?.text ?? "")),
        }}
        onSelect={({ query }) => setParams({ i: String(query) })}
        largestCell={40}
      />
    </section>
  );
}

function Glimpsed({ trace }: { trace: Trace }) {
  const { params } = useRoute();
  const truth = useTruth(trace);
  const glimpses = axisOf(trace, "glimpses").labels;
  const tiles = trace.heads.find((one) => one.queries === "glimpses");
  const cells: Label[] = tiles ? axisOf(trace, tiles.keys).labels : [];
  const count = Math.max(glimpses.length, trace.steps.length);
  const read = (from: Record<string, string>) => whole(from.i, Math.max(0, count - 1));
  const shown = read(params);
  const image = pictureOf(trace);
  const box = glimpses[shown]?.box;
  const sides = axisOf(trace, "retina")
    .labels.map((one) => Number(one.text))
    .filter((side) => side > 0);
  const patches = box ? patchesOf(box, sides.length > 0 ? sides : [Math.round(box[2] - box[0])]) : [];
  if (count === 0) return <Note>This Trace has no glimpses.</Note>;
  const place = box ? `, at the ${placeOf(box, image)}` : "";
  return (
    <>
      <Player
        count={count}
        read={read}
        write={(i) => setParams({ i: String(i) })}
        status={`Glimpse ${shown + 1} of ${count}${place}`}
      />
      <div class="look-view">
        <figure class="large-picture">
          <Looked
            image={image}
            label={`Glimpses 1 to ${shown + 1}${place}`}
            cells={cells}
            row={tiles?.weights[shown] ?? []}
            exact={params.form === "cells"}
            truth={truth.shown}
          >
            <Path boxes={glimpses.map((one) => one.box)} shown={shown} patches={patches} image={image} />
          </Looked>
          <LookBar truth={truth} cells={cells.length > 0} />
        </figure>
        <div class="beside">
          {patches.length > 0 && (
            <section>
              <h2>What the retina sees</h2>
              <Retina image={image} patches={patches} />
            </section>
          )}
          <Beliefs trace={trace} shown={shown} />
          <History trace={trace} shown={shown} />
        </div>
      </div>
    </>
  );
}

export function Glimpse() {
  const subject = usePictureSubject((one) => one.task === "glimpse");
  const answered = useTrace(subject.model, subject.asked);
  const { trace, busy } = answered;
  if (!isFile && subject.models.length === 0) return <Untrained task="glimpse" does="reads by glimpses" />;
  return (
    <>
      <PictureBar subject={subject} busy={busy} />
      <Result of={answered}>{trace && <Glimpsed trace={trace} />}</Result>
    </>
  );
}
