// A caption, word by word, and for each word the region of the picture that it was read from.
import { useMemo, useState } from "preact/hooks";
import { isFile, useTrace } from "../api";
import { Distribution } from "../distribution";
import { Player, whole } from "../player";
import { setParams, useRoute } from "../route";
import { axisOf, defaultHeads, type Label, type Trace } from "../trace";
import { Note, percent, Result } from "../ui";
import { LookBar, pictureOf, Untrained, useTruth } from "./frame";
import { Looked } from "./looked";
import { placeOf, shareIn, strongest, told } from "./regions";
import { PictureBar, usePictureSubject } from "./subject";
import { type Word, wordsOf } from "./words";

function Numbers({ trace, word, cells, truth }: { trace: Trace; word: Word; cells: Label[]; truth: Label[] }) {
  const label = axisOf(trace, "target").labels[word.step]?.text ?? "";
  const step = trace.steps[word.step];
  const probability = step?.choices.find((one) => one.text === label)?.probability;
  const best = strongest(word.row, 1)[0];
  const box = best === undefined ? undefined : cells[best]?.box;
  const most = truth
    .filter((one) => one.box)
    .map((one) => ({ text: one.text, share: shareIn(word.row, cells, one.box!) }))
    .sort((a, b) => b.share - a.share)[0];
  return (
    <div class="numbers wide" aria-live="polite">
      <dl>
        <div>
          <dt>word</dt>
          <dd class="word">{word.text}</dd>
        </div>
        {probability !== undefined && (
          <div>
            <dt>its probability</dt>
            <dd data-number="probability">{percent(probability, 1)}</dd>
          </div>
        )}
        {box && (
          <div>
            <dt>strongest region</dt>
            <dd data-number="region">
              {placeOf(box, pictureOf(trace))}, {percent(word.row[best!], 1)}
            </dd>
          </div>
        )}
        {most && word.row.length > 0 && (
          <div>
            <dt>of its weight on {most.text}</dt>
            <dd data-number="share">{percent(most.share)}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

function Words(props: { words: Word[]; shown: number; onPoint: (index: number | null) => void }) {
  return (
    <p class="caption-words" aria-label="Caption" onMouseLeave={() => props.onPoint(null)}>
      {props.words.map(({ text }, i) => (
        <button
          key={i}
          type="button"
          class={i === props.shown ? "now" : ""}
          aria-current={i === props.shown ? "step" : undefined}
          onMouseEnter={() => props.onPoint(i)}
          onClick={() => setParams({ i: String(i) })}
        >
          {text}
        </button>
      ))}
    </p>
  );
}

const kMostFrames = 24;

// All words at a glance, a small picture each.
function Film({ trace, words, cells, shown }: { trace: Trace; words: Word[]; cells: Label[]; shown: number }) {
  return (
    <div class="film" role="group" aria-label="Every word">
      {words.slice(0, kMostFrames).map((word, i) => (
        <button
          key={i}
          type="button"
          class={i === shown ? "now" : ""}
          onClick={() => setParams({ i: String(i) })}
          aria-label={`${word.text}: ${told(word.row, cells, pictureOf(trace))}`}
        >
          <Looked image={pictureOf(trace)} label={`Where '${word.text}' looked`} cells={cells} row={word.row} />
          <span>{word.text}</span>
        </button>
      ))}
    </div>
  );
}

function Captioned({ trace }: { trace: Trace }) {
  const { params } = useRoute();
  const [pointed, setPointed] = useState<number | null>(null);
  const words = useMemo(() => wordsOf(trace), [trace]);
  const truth = useTruth(trace, false);
  const cells = axisOf(trace, defaultHeads(trace)[0]?.keys ?? "").labels;
  const read = (from: Record<string, string>) => whole(from.i, Math.max(0, words.length - 1));
  const at = pointed !== null && pointed < words.length ? pointed : read(params);
  const word = words[at];
  const image = pictureOf(trace);
  if (!word) return <Note>It said nothing.</Note>;
  const attends = word.row.length > 0;
  const step = trace.steps[word.step];
  return (
    <>
      <Words words={words} shown={at} onPoint={setPointed} />
      <Player
        count={words.length}
        read={read}
        write={(i) => (setPointed(null), setParams({ i: String(i) }))}
        status={`Word ${at + 1} of ${words.length}: ${word.text}`}
      />
      <div class="look-view">
        <figure class="large-picture">
          <Looked
            image={image}
            label={`Where '${word.text}' looked: ${told(word.row, cells, image)}`}
            cells={cells}
            row={word.row}
            exact={params.form === "cells"}
            truth={truth.shown}
          />
        </figure>
        <div class="beside">
          <LookBar truth={truth} cells={attends} />
          {!attends && <Note>This model does not attend: it reads the picture once.</Note>}
          <Numbers trace={trace} word={word} cells={cells} truth={truth.known} />
          {step && step.choices.length > 0 && (
            <section>
              <h2>What it could have said here</h2>
              <Distribution
                choices={step.choices}
                said={axisOf(trace, "target").labels[word.step]?.text ?? ""}
                label="Likeliest words"
                most={5}
              />
            </section>
          )}
        </div>
      </div>
      {attends && <Film trace={trace} words={words} cells={cells} shown={at} />}
    </>
  );
}

export function Caption() {
  const subject = usePictureSubject((one) => one.task === "caption");
  const answered = useTrace(subject.model, subject.asked);
  const { trace, busy } = answered;
  if (!isFile && subject.models.length === 0) return <Untrained task="caption" does="writes captions" />;
  return (
    <>
      <PictureBar subject={subject} busy={busy} />
      <p class="hidden" aria-live="polite">
        {trace && !busy ? `Caption: ${trace.output}` : ""}
      </p>
      <Result of={answered}>{trace && <Captioned trace={trace} />}</Result>
    </>
  );
}
