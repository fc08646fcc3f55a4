// A sentence, what the model makes of it, and where each word looked.
import { useMemo, useState } from "preact/hooks";
import { isFile, useTrace } from "./api";
import { scaleOf } from "./colour";
import { Links } from "./links";
import { CellNumbers, formatCell, isBig, parseCell, WeightMap } from "./map";
import type { Focus } from "./matrix";
import { setParams, useRoute, viewAddress } from "./route";
import { SentenceBar, useSubject } from "./subject";
import { useTheme } from "./theme";
import { defaultHeads, type Head, type Trace } from "./trace";
import { Choice, Legend, Note, Result, Select } from "./ui";
import { drawable, hasPieces, type Unit } from "./words";

const kMostWords = 160; // of both sentences: more lines than that are a thicket

// Heads of the default kind: "" is the default layer's mean, "1" a layer's mean, "1.3" one head.
function chosenHeads(trace: Trace, name: string): Head[] {
  const usual = defaultHeads(trace);
  const [layer, head] = name.split(".");
  const found = trace.heads.filter(
    (one) =>
      one.kind === usual[0]?.kind && String(one.layer) === layer && (head === undefined || String(one.head) === head),
  );
  return found.length > 0 ? found : usual;
}

function headOptions(trace: Trace): [string, string][] {
  const usual = defaultHeads(trace);
  const same = trace.heads.filter((one) => one.kind === usual[0]?.kind);
  const layers = [...new Set(same.map((one) => one.layer))];
  return layers.flatMap((layer): [string, string][] => {
    const heads = same.filter((one) => one.layer === layer);
    const name = `Layer ${layer + 1}`;
    if (heads.length === 1) return [[String(layer), name]];
    const each = heads.map((one): [string, string] => [`${layer}.${one.head}`, `${name}, head ${one.head + 1}`]);
    return [[String(layer), `${name}, mean of heads`], ...each];
  });
}

function Attention({ trace }: { trace: Trace }) {
  const { params } = useRoute();
  const { dark } = useTheme();
  const [focus, setFocus] = useState<Focus>({});
  const unit: Unit = params.u === "pieces" ? "pieces" : "words";
  const map = useMemo(() => drawable(trace, chosenHeads(trace, params.h ?? ""), unit), [trace, params.h, unit]);
  const cell = parseCell(params.cell);
  if (!map) return <NoAttention trace={trace} />;
  const options = headOptions(trace);
  const scale = scaleOf(dark);
  const usual = String(defaultHeads(trace)[0]?.layer ?? 0);
  return (
    <>
      {map.queries.length + map.keys.length <= kMostWords && !map.large && (
        <Links map={map} focus={focus} onFocus={setFocus} />
      )}
      <div class="figure-bar">
        {hasPieces(trace) && !map.large && (
          <Choice
            label="Unit"
            value={unit}
            options={[
              ["words", "Words"],
              ["pieces", "Pieces"],
            ]}
            onChange={(u) => setParams({ u, cell: "" })}
          />
        )}
        {options.length > 1 && (
          <Select label="Head" value={params.h || usual} options={options} onChange={(h) => setParams({ h })} />
        )}
        {!isBig(map) && (
          <Legend
            label="Weight"
            colours={Array.from({ length: 12 }, (_, i) => scale.css(i / 11))}
            from="0"
            to="100 %"
          />
        )}
      </div>
      <div class="with-numbers">
        <WeightMap
          map={map}
          label="Alignment: a row for each output word, a column for each source word"
          selected={cell}
          onSelect={(one) => setParams({ cell: formatCell(one) })}
          focus={focus}
          onFocus={setFocus}
        />
        <CellNumbers map={map} cell={cell} />
      </div>
    </>
  );
}

function NoAttention({ trace }: { trace: Trace }) {
  return (
    <>
      <p class="translation-only">{trace.output}</p>
      <Note>
        A model of kind <em>{trace.model}</em> reads the sentence once, into one vector, and never looks back: there is
        no attention to draw. {!isFile && <a href={viewAddress("without")}>Without attention</a>}{" "}
        {!isFile && "shows where it looked all the same."}
      </Note>
    </>
  );
}

export function Translate() {
  const { model, text } = useSubject();
  const answered = useTrace(model, { input: text });
  const { trace, busy } = answered;
  return (
    <>
      <SentenceBar busy={busy} />
      <p class="hidden" aria-live="polite">
        {trace && !busy ? `Output: ${trace.output.slice(0, 300)}` : ""}
      </p>
      <Result of={answered}>{trace && <Attention trace={trace} />}</Result>
    </>
  );
}
