// A map of many cells on a canvas: the whole at a glance, and any part of it exactly.
// The wheel scrolls, with Ctrl it zooms; a drag moves; arrow keys move a cell, + and - zoom.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { bigMap, bigScale, picture } from "./big_map";
import {
  cellSize,
  drawCells,
  drawCursor,
  drawLabels,
  drawMini,
  type Ink,
  kExact,
  kLeft,
  kTop,
  prepared,
  type View,
} from "./large_drawing";
import type { Cell } from "./matrix";
import { useTheme } from "./theme";
import { Button, percent, short, useWidth } from "./ui";
import type { Drawable } from "./words";

export function LargeMap(props: {
  map: Drawable;
  label: string;
  selected?: Cell | null;
  onSelect?: (cell: Cell) => void;
}) {
  const { map, label, selected, onSelect } = props;
  const { dark } = useTheme();
  const [ref, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const mini = useRef<HTMLCanvasElement>(null);
  const behaviour = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  const [exact, setExact] = useState(false);
  const big = useMemo(() => bigMap(map), [map]);
  const scale = useMemo(() => bigScale(big, dark), [big, dark]);
  const overview = useMemo(() => picture(big.overview, scale), [big, scale]);
  const plot = Math.max(120, width - kLeft - 12);
  const tall = Math.min(Math.max(240, window.innerHeight - 260), plot * (big.rows / big.columns));
  const view = useRef<View>({ width: 0, height: 0, base: 1, transform: zoomIdentity });
  view.current = { ...view.current, width: plot, height: tall, base: Math.min(plot / big.columns, tall / big.rows) };

  const cursor = useRef<Cell | null>(null);
  cursor.current = selected ?? null;
  const frame = useRef(0);
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (!canvas.current || !mini.current) return;
      const style = getComputedStyle(canvas.current);
      const ink: Ink = {
        text: style.color,
        accent: style.getPropertyValue("--accent").trim() || "#4457c8",
        overview,
        colour: scale.css,
      };
      const pen = prepared(canvas.current, kLeft + plot + 12, kTop + tall);
      drawCells(pen, big, view.current, ink);
      drawLabels(pen, map, big, view.current, ink);
      if (cursor.current) drawCursor(pen, cursor.current, view.current, ink);
      drawMini(mini.current, big, view.current, ink);
      setExact(cellSize(view.current) >= kExact);
    });
  };

  useEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const deepest = Math.max(1, 40 / view.current.base); // a cell of 40 pixels
    const { base } = view.current;
    const zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, deepest])
      .extent([
        [0, 0],
        [plot, tall],
      ])
      .translateExtent([
        [0, 0],
        [Math.max(plot, big.columns * base), Math.max(tall, big.rows * base)],
      ])
      .filter((event: Event) => event.type !== "wheel" || (event as WheelEvent).ctrlKey)
      .on("zoom", ({ transform }: { transform: ZoomTransform }) => {
        view.current.transform = transform;
        draw();
      });
    behaviour.current = zooming;
    const selection = select(element).call(zooming);
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || view.current.transform.k <= 1) return; // then the page scrolls
      event.preventDefault();
      const { k } = view.current.transform;
      zooming.translateBy(selection, -event.deltaX / k, -event.deltaY / k);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      selection.on(".zoom", null);
      element.removeEventListener("wheel", onWheel);
    };
  }, [big, width > 0, plot, tall]);
  useEffect(draw);

  const by = (factor: number) => canvas.current && behaviour.current?.scaleBy(select(canvas.current), factor);
  const home = () => canvas.current && behaviour.current?.transform(select(canvas.current), zoomIdentity);
  const show = (cell: Cell) => {
    const size = cellSize(view.current);
    const [x, y] = [
      view.current.transform.x + (cell.key + 0.5) * size,
      view.current.transform.y + (cell.query + 0.5) * size,
    ];
    if (x > 0 && x < plot && y > 0 && y < tall) return;
    if (canvas.current)
      behaviour.current?.translateTo(
        select(canvas.current),
        (cell.key + 0.5) * view.current.base,
        (cell.query + 0.5) * view.current.base,
      );
  };
  const choose = (cell: Cell) => {
    if (cell.query < 0 || cell.key < 0 || cell.query >= big.rows || cell.key >= big.columns) return;
    onSelect?.(cell);
    show(cell);
  };
  const onClick = (event: MouseEvent) => {
    const size = cellSize(view.current);
    const box = canvas.current!.getBoundingClientRect();
    choose({
      key: Math.floor((event.clientX - box.left - kLeft - view.current.transform.x) / size),
      query: Math.floor((event.clientY - box.top - kTop - view.current.transform.y) / size),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { query, key } = selected ?? { query: 0, key: -1 };
    const moves: Record<string, () => void> = {
      ArrowLeft: () => choose({ query, key: key - 1 }),
      ArrowRight: () => choose({ query, key: key + 1 }),
      ArrowUp: () => choose({ query: query - 1, key }),
      ArrowDown: () => choose({ query: query + 1, key }),
      "+": () => by(1.6),
      "=": () => by(1.6),
      "-": () => by(1 / 1.6),
      "0": home,
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  const onMini = (event: MouseEvent) => {
    const box = mini.current!.getBoundingClientRect();
    const { base } = view.current;
    if (!canvas.current || !behaviour.current) return;
    const selection = select(canvas.current);
    if (view.current.transform.k <= 1) behaviour.current.scaleTo(selection, (kExact * 4) / base);
    behaviour.current.translateTo(
      selection,
      ((event.clientX - box.left) / box.width) * big.columns * base,
      ((event.clientY - box.top) / box.height) * big.rows * base,
    );
  };

  const told = exact
    ? big.exact === "top"
      ? "Exact: the 16 largest weights of each row"
      : "Exact: every weight"
    : big.block === "1 × 1"
      ? "Every weight"
      : `Overview: the largest weight of each ${big.block} cells`;
  const full = map.shares ? percent(big.full, big.full < 0.1 ? 1 : 0) : short(big.full);
  return (
    <div ref={ref} class="large-map">
      <div class="large-bar">
        <Button aria-label="Zoom in" onClick={() => by(1.6)}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => by(1 / 1.6)}>
          −
        </Button>
        <Button onClick={home}>Whole</Button>
        <span class="told" data-mode={exact ? "exact" : "overview"}>
          {told}; full colour from {full}. Ctrl and wheel zoom, a drag moves.
        </span>
        <canvas ref={mini} class="mini" aria-hidden="true" onClick={onMini} />
      </div>
      <canvas
        ref={canvas}
        class="large"
        role="application"
        tabIndex={0}
        aria-label={`${label}, ${big.rows} by ${big.columns}. Arrow keys move from cell to cell, plus and minus zoom.`}
        style={{ width: `${kLeft + plot + 12}px`, height: `${kTop + tall}px` }}
        onClick={onClick}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
