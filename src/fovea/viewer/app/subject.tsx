// What is looked at: a model and a sentence, chosen at the top of a view and kept in the address.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { inline, isFile, type Model } from "./api";
import { setParams, useRoute } from "./route";
import { Select } from "./ui";

export const Models = createContext<Model[]>([]);

export interface Subject {
  models: Model[];
  model: Model | undefined;
  typed: string;
  text: string; // the same without the spaces around it
}

// The one that the address names, else the first that attends.
export function useModel(fits: (model: Model) => boolean): { models: Model[]; model: Model | undefined } {
  const { params } = useRoute();
  const models = useContext(Models).filter(fits);
  const model = models.find((one) => one.name === params.m) ?? models.find((one) => one.attends) ?? models[0];
  return { models, model };
}

export function useSubject(): Subject {
  const { params } = useRoute();
  const { models, model } = useModel((one) => !one.image);
  const typed = params.t ?? model?.examples[0] ?? "";
  return { models, model, typed, text: typed.trim() };
}

export const describe = ({ name, model }: Model): string => (name === model ? name : `${name} · ${model}`);

export function ModelSelect(props: { label: string; value: string; models: Model[]; param: string }) {
  const options = props.models.map((one) => [one.name, describe(one)] as const);
  return (
    <Select
      label={props.label}
      value={props.value}
      options={options}
      onChange={(name) => setParams({ [props.param]: name, cell: "" })}
    />
  );
}

// models: those to choose from, if not all that take a sentence.
export function SentenceBar({ busy, models }: { busy: boolean; models?: Model[] }) {
  const { models: usual, model, typed } = useSubject();
  const change = (t: string) => setParams({ t, cell: "", i: "", s: "" });
  if (isFile) return <FileSubject />;
  const examples = model?.examples.slice(0, 3) ?? [];
  return (
    <section class={`subject${busy ? " busy" : ""}`} aria-label="Sentence and model">
      <div class="ask">
        <label class="hidden" for="sentence">
          Sentence
        </label>
        <input
          id="sentence"
          type="text"
          autocomplete="off"
          spellcheck={false}
          maxLength={4000}
          placeholder="Type a sentence"
          value={typed}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <ModelSelect label="Model" value={model?.name ?? ""} models={models ?? usual} param="m" />
      </div>
      <Examples texts={examples} onChoose={change} />
    </section>
  );
}

export function Examples({ texts, onChoose }: { texts: string[]; onChoose: (text: string) => void }) {
  if (texts.length === 0) return null;
  return (
    <p class="examples" data-unsaved>
      <span>Try</span>
      {texts.map((one) => (
        <button key={one} type="button" onClick={() => onChoose(one)}>
          {one}
        </button>
      ))}
    </p>
  );
}

const kLongest = 240; // letters of a sentence that is only told

export function FileSubject() {
  const { trace } = inline;
  if (!trace) return null;
  const sentence = trace.input.length > kLongest ? `${trace.input.slice(0, kLongest)}…` : trace.input;
  const sizes = trace.axes.map((axis) => `${axis.labels.length.toLocaleString("en")} ${axis.name}`);
  return (
    <section class="subject" aria-label="Sentence and model">
      {sentence && <p class="file-sentence">{sentence}</p>}
      <p class="quiet">{[trace.task, trace.model, ...sizes].filter((part) => part).join(" · ")}</p>
    </section>
  );
}
