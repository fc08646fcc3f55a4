// Where a model looked, by methods that need no attention; side by side, with what a check says of each.
import { useMemo } from "preact/hooks";
import { inline, isFile, type Model, useTrace } from "./api";
import { scaleOf } from "./colour";
import { PictureMethods } from "./image/methods";
import { WeightMap } from "./map";
import { setParams, useRoute } from "./route";
import { SentenceBar, useModel, useSubject } from "./subject";
import { useTheme } from "./theme";
import type { Figure, Method, Trace } from "./trace";
import { Choice, Note, Result, short } from "./ui";
import { drawable, hasPieces, type Unit } from "./words";

// Where a figure is better: up, down, or near 0.
const kBetter: Record<string, string> = {
  deletion: "lower is better",
  insertion: "higher is better",
  agreement: "higher is better",
  randomised: "near 0 is better",
  completeness_gap: "near 0 is better",
  pointing: "1: into the true box",
};

// A map that does no better than words taken at random says nothing about the model.
function verdict(figures: Figure[]): { text: string; good: boolean } | null {
  const value = (name: string) => figures.find((one) => one.name === name)?.value ?? null;
  const [deletion, random] = [value("deletion"), value("deletion_random")];
  const [insertion, atRandom] = [value("insertion"), value("insertion_random")];
  if (deletion === null || random === null || insertion === null || atRandom === null) return null;
  const wins = Number(deletion < random) + Number(insertion > atRandom);
  if (wins === 2) return { text: "Better than random order, taking away and putting back.", good: true };
  if (wins === 1) return { text: "Better than random order in one of two tests only.", good: false };
  return { text: "No better than random order: do not trust this map.", good: false };
}

export function Figures({ figures }: { figures: Figure[] }) {
  if (figures.length === 0) return null;
  const judged = verdict(figures);
  return (
    <>
      {judged && <p class={judged.good ? "verdict good" : "verdict bad"}>{judged.text}</p>}
      <table class="figures">
        <tbody>
          {figures.map((figure) => (
            <tr key={figure.name} title={figure.about}>
              <th scope="row">{figure.name.replace(/_random$/, ", random").replace(/_/g, " ")}</th>
              <td data-figure={figure.name}>{short(figure.value)}</td>
              <td class="quiet">{kBetter[figure.name] ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export const asSentence = (text: string) => text && text[0]!.toUpperCase() + text.slice(1).replace(/\.?$/, ".");

function Card({ trace, method, unit }: { trace: Trace; method: Method; unit: Unit }) {
  const map = useMemo(() => drawable(trace, [method], unit)!, [trace, method, unit]);
  return (
    <section class="card" aria-label={method.name}>
      <h2>{method.name}</h2>
      <p class="quiet">
        {asSentence(method.about)}
        {method.signed && " Blue speaks for the output word, orange against it."}
      </p>
      <WeightMap map={map} label={`${method.name}: a row for each output word, a column for each source word`} />
      <Figures figures={method.figures} />
    </section>
  );
}

export function Correlation({ trace }: { trace: Trace }) {
  const { dark } = useTheme();
  const scale = scaleOf(dark);
  const names = trace.methods.map((one) => one.name);
  if (trace.correlation.length < 2 || trace.correlation.length !== names.length) return null;
  return (
    <section class="correlation" aria-label="Rank correlation">
      <h2>Do they agree?</h2>
      <p class="quiet">
        Spearman's rank correlation between the maps: 1 is the same order of {trace.image ? "places" : "words"}, 0 none
        in common.
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <td />
              {names.map((name) => (
                <th key={name} scope="col">
                  <span>{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {trace.correlation.map((row, i) => (
              <tr key={i}>
                <th scope="row">{names[i]}</th>
                {row.map((value, k) => (
                  <td
                    key={k}
                    class={scale.onDark(value) ? "on-dark" : "on-light"}
                    style={{ background: scale.css(value) }}
                  >
                    {short(value, 2)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// check: measure how far each map can be trusted.
export function CheckBox({ busy }: { busy: boolean }) {
  const { params } = useRoute();
  return (
    <>
      {!isFile && (
        <label class="check">
          <input
            type="checkbox"
            checked={params.check === "1"}
            onChange={(event) => setParams({ check: event.currentTarget.checked ? "1" : "" })}
          />
          Check each map against the model (takes longer)
        </label>
      )}
      {busy && (
        <span class="quiet" role="status">
          Computing…
        </span>
      )}
    </>
  );
}

function TextMethods({ models }: { models: Model[] }) {
  const { model, text } = useSubject();
  const { params } = useRoute();
  const check = params.check === "1";
  const answered = useTrace(model, { input: text }, { methods: model?.methods ?? [], check });
  const { trace, busy } = answered;
  const unit: Unit = params.u === "pieces" ? "pieces" : "words";
  return (
    <>
      <SentenceBar busy={busy} models={models} />
      <div class="figure-bar">
        {trace && hasPieces(trace) && (
          <Choice
            label="Unit"
            value={unit}
            options={[
              ["words", "Words"],
              ["pieces", "Pieces"],
            ]}
            onChange={(u) => setParams({ u })}
          />
        )}
        <CheckBox busy={busy} />
      </div>
      <Result of={answered}>
        {trace && trace.methods.length === 0 && <Note>There are no maps of methods in this Trace.</Note>}
        {trace && trace.methods.length > 0 && (
          <>
            <div class="cards">
              {trace.methods.map((method) => (
                <Card key={method.name} trace={trace} method={method} unit={unit} />
              ))}
            </div>
            <Correlation trace={trace} />
          </>
        )}
      </Result>
    </>
  );
}

export function Methods() {
  const { models, model } = useModel((one) => one.methods.length > 0);
  const ofPictures = isFile ? inline.trace?.image !== undefined : model?.image != null;
  return ofPictures ? <PictureMethods models={models} /> : <TextMethods models={models} />;
}
