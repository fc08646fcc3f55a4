// Every head of every layer at a glance, and one of them large, as a matrix or as arcs.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useTrace } from "./api";
import { bigMap, bigScale, picture } from "./big_map";
import { HeadArcs } from "./head_arcs";
import { CellNumbers, formatCell, isBig, parseCell, WeightMap } from "./map";
import { setParams, useRoute } from "./route";
import { SentenceBar, useSubject } from "./subject";
import { useTheme } from "./theme";
import type { Head, Trace } from "./trace";
import { Choice, Note, Result } from "./ui";
import { drawable, hasPieces, type Unit } from "./words";

const kNames: Record<string, string> = {
  encoder: "Encoder",
  decoder: "Decoder",
  cross: "Cross",
  self: "Self",
};
const kAbout: Record<string, string> = {
  encoder: "Every source word looks at every source word.",
  decoder: "Every output word looks back at those already said.",
  cross: "Every output word looks at the source.",
  self: "Every token looks at every token.",
};

function Small(props: { trace: Trace; head: Head; chosen: boolean; unit: Unit; onChoose: () => void }) {
  const { trace, head, chosen, unit } = props;
  const { dark } = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useMemo(() => drawable(trace, [head], unit)!, [trace, head, unit]);
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!element || !pen) return;
    const big = bigMap(map);
    const image = picture(big.overview, bigScale(big, dark));
    const dots = window.devicePixelRatio || 1;
    [element.width, element.height] = [element.clientWidth * dots, element.clientHeight * dots];
    pen.imageSmoothingEnabled = image.width > element.width;
    pen.drawImage(image, 0, 0, element.width, element.height);
  }, [map, dark]);
  const name = `Layer ${head.layer + 1}, head ${head.head + 1}`;
  return (
    <button
      type="button"
      role="radio"
      aria-checked={chosen}
      aria-label={name}
      title={name}
      tabIndex={chosen ? 0 : -1}
      class={`small${chosen ? " chosen" : ""}`}
      onClick={props.onChoose}
    >
      <canvas ref={canvas} />
    </button>
  );
}

function Multiples(props: { trace: Trace; heads: Head[]; chosen: Head; unit: Unit }) {
  const { trace, heads, chosen, unit } = props;
  const box = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const layers = [...new Set(heads.map((one) => one.layer))].sort((a, b) => a - b);
  const choose = (head: Head) => setParams({ layer: String(head.layer), head: String(head.head), cell: "" });
  useEffect(() => {
    if (moved.current) box.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
    moved.current = false;
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const next = heads.find((one) => one.layer === chosen.layer + step[0] && one.head === chosen.head + step[1]);
    if (!next) return;
    moved.current = true;
    choose(next);
  };
  return (
    <div ref={box} class="multiples" role="radiogroup" aria-label="Heads" onKeyDown={onKeyDown}>
      {layers.map((layer) => (
        <div key={layer} class="layer">
          <span class="layer-name">Layer {layer + 1}</span>
          {heads
            .filter((one) => one.layer === layer)
            .map((head) => (
              <Small
                key={`${head.kind}.${head.head}`}
                trace={trace}
                head={head}
                unit={unit}
                chosen={head === chosen}
                onChoose={() => choose(head)}
              />
            ))}
        </div>
      ))}
    </div>
  );
}

function AllHeads({ trace }: { trace: Trace }) {
  const { params } = useRoute();
  const kinds = ["encoder", "decoder", "cross", "self"].filter((kind) => trace.heads.some((one) => one.kind === kind));
  const others = trace.heads.map((one) => one.kind).filter((kind) => !kinds.includes(kind));
  const all = [...kinds, ...new Set(others)];
  const kind = all.find((one) => one === params.kind) ?? (all.includes("cross") ? "cross" : all[0]!);
  const heads = trace.heads.filter((one) => one.kind === kind);
  const chosen =
    heads.find((one) => String(one.layer) === params.layer && String(one.head) === params.head) ?? heads[0]!;
  const unit: Unit = params.u === "words" ? "words" : "pieces";
  const map = useMemo(() => drawable(trace, [chosen], unit)!, [trace, chosen, unit]);
  const cell = parseCell(params.cell);
  const arcs = params.form === "arcs" && !isBig(map);
  const name = `Layer ${chosen.layer + 1}, head ${chosen.head + 1}`;
  return (
    <>
      <div class="figure-bar">
        {all.length > 1 && (
          <Choice
            label="Kind"
            value={kind}
            options={all.map((one) => [one, kNames[one] ?? one] as const)}
            onChange={(one) => setParams({ kind: one, layer: "", head: "", cell: "" })}
          />
        )}
        {!isBig(map) && (
          <Choice
            label="Form"
            value={arcs ? "arcs" : "matrix"}
            options={[
              ["matrix", "Matrix"],
              ["arcs", "Arcs"],
            ]}
            onChange={(form) => setParams({ form })}
          />
        )}
        {hasPieces(trace) && !map.large && (
          <Choice
            label="Unit"
            value={unit}
            options={[
              ["pieces", "Pieces"],
              ["words", "Words"],
            ]}
            onChange={(u) => setParams({ u, cell: "" })}
          />
        )}
        <span class="quiet">{kAbout[kind] ?? ""}</span>
      </div>
      <div class="heads">
        {heads.length > 1 && <Multiples trace={trace} heads={heads} chosen={chosen} unit={unit} />}
        <section class="enlarged" aria-label={name}>
          <h2>{name}</h2>
          {arcs ? (
            <HeadArcs map={map} />
          ) : (
            <WeightMap
              map={map}
              label={`${name}: a row for each query, a column for each key`}
              selected={cell}
              onSelect={(one) => setParams({ cell: formatCell(one) })}
            />
          )}
          {!arcs && <CellNumbers map={map} cell={cell} />}
        </section>
      </div>
    </>
  );
}

export function Heads() {
  const { model, text } = useSubject();
  const answered = useTrace(model, { input: text });
  const { trace, busy } = answered;
  return (
    <>
      <SentenceBar busy={busy} />
      <Result of={answered}>
        {trace && trace.heads.length === 0 && (
          <Note>This model has no heads: it does not attend. Choose another above.</Note>
        )}
        {trace && trace.heads.length > 0 && <AllHeads trace={trace} />}
      </Result>
    </>
  );
}
