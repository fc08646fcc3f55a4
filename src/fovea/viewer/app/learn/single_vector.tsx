// Lesson 7: what goes wrong when one vector has to hold a whole sentence.
import { useContext } from "preact/hooks";
import { useTraces } from "../api";
import { Models } from "../subject";
import type { Trace } from "../trace";
import { Note, Slider } from "../ui";
import { Lesson, useNumber } from "./parts";

// Each goes on where the last one stopped.
const kSentences = [
  "The cat sleeps.",
  "The old man sees the little house.",
  "The sad man was showing the green car to Emma this morning.",
  "The girl will not enter the old dark church while the little dogs are sleeping in the garden.",
  "The sad man was showing the green car to Emma this morning because the girl will not enter the old dark church while it is raining.",
];

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

function Answer({
  title,
  trace,
  other,
  about,
}: {
  title: string;
  trace: Trace | undefined;
  other: Trace | undefined;
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
  const answered = useTraces(attends && fixed ? [attends.name, fixed.name] : [], { input: sentence });
  const [first, second] = answered.exchanges.map((one) => one.answer);
  const count = words(second?.input ?? "").length;
  const numbers = second?.steps[0]?.context.length ?? 0;
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
      controls={
        <Slider
          label="Length"
          value={at}
          min={0}
          max={kSentences.length - 1}
          text={`${words(sentence).length} words`}
          onChange={setAt}
        />
      }
      of={answered}
    >
      <p class="long-sentence">{first?.input ?? sentence}</p>
      {!fixed || !attends ? (
        <Note>
          This needs two translators, one of kind fixed and one that attends: fovea serve attention.safetensors
          fixed.safetensors
        </Note>
      ) : (
        <div class="cards two">
          <Answer
            title={`With attention: ${attends.name}`}
            trace={first}
            other={undefined}
            about="looks again at the source for every word"
          />
          <Answer
            title={`One vector: ${fixed.name}`}
            trace={second}
            other={first}
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
