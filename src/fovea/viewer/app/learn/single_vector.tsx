// Lesson 7: what goes wrong when one vector has to hold a whole sentence.
import { useContext } from "preact/hooks";
import { type Model, useTrace } from "../api";
import { Models } from "../subject";
import type { Trace } from "../trace";
import { ErrorLine, Note, Slider } from "../ui";
import { Lesson, useNumber } from "./parts";

// Each goes on where the last one stopped.
const kSentences = [
  "The cat sleeps.",
  "The old man sees the small house.",
  "The sad man was showing the green cars to Emma this morning.",
  "The girl will not enter the old dark churches while the small dogs are sleeping in the garden.",
  "The sad man was showing the green cars to Emma this morning because the girl will not enter the old dark churches while it is raining.",
];

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

function Answer({
  title,
  trace,
  other,
  about,
}: {
  title: string;
  trace: Trace | null;
  other: Trace | null;
  about: string;
}) {
  const known = new Set(words(other?.output ?? ""));
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet">{about}</p>
      <p class="answer">
        {words(trace?.output ?? "").map((word, i) => (
          <span key={i} class={other && !known.has(word) ? "differs" : ""}>
            {word}{" "}
          </span>
        ))}
      </p>
    </section>
  );
}

export function SingleVector() {
  const models = useContext(Models);
  const [given, setAt] = useNumber("long", kSentences.length - 1);
  const at = Math.max(0, Math.min(kSentences.length - 1, Math.round(given)));
  const sentence = kSentences[at]!;
  const attends = models.find((one) => one.attends && one.task === "translate");
  const fixed = models.find((one) => !one.attends && one.task === "translate");
  const name = (model: Model | undefined) => model?.name ?? "";
  const first = useTrace(name(attends), { input: sentence }, {}, false);
  const second = useTrace(name(fixed), { input: sentence }, {}, false);
  const numbers = second.value?.steps[0]?.context.length ?? 0;
  const count = words(sentence).length;
  return (
    <Lesson
      text={
        <>
          <p>
            Before attention, an encoder read the sentence into <strong>one vector</strong>, and the decoder wrote from
            that alone. The vector has as many numbers for three words as for thirty.
          </p>
          <p>
            Make the sentence longer. The start of the answer stays good for a while; then words are lost, repeated or
            replaced by others that would fit as well. Attention goes back to the source for every word, so nothing has
            to fit into one vector.
          </p>
        </>
      }
    >
      <ErrorLine text={first.error || second.error} />
      <div class="figure-bar">
        <Slider
          label="Length"
          value={at}
          min={0}
          max={kSentences.length - 1}
          text={`${count} words`}
          onChange={setAt}
        />
      </div>
      <p class="long-sentence">{sentence}</p>
      {!fixed || !attends ? (
        <Note>
          This needs two translators, one of kind fixed and one that attends: fovea serve attention.safetensors
          fixed.safetensors
        </Note>
      ) : (
        <div class="cards two">
          <Answer
            title={`With attention: ${attends.name}`}
            trace={first.value}
            other={null}
            about="looks again at the source for every word"
          />
          <Answer
            title={`One vector: ${fixed.name}`}
            trace={second.value}
            other={first.value}
            about={
              numbers > 0
                ? `${count} words in one vector of ${numbers} numbers; marked: what the other does not say`
                : ""
            }
          />
        </div>
      )}
    </Lesson>
  );
}
