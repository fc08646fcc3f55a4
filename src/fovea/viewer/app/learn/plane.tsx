// A plane of two-dimensional vectors to take hold of, with the mouse, a finger or the arrow keys.
import { scaleLinear } from "d3-scale";
import { useRef } from "preact/hooks";
import { short, useWidth } from "../ui";

export type Point = [number, number];

export interface Dot {
  name: string;
  at: Point;
  look?: "query" | "output" | "mean" | "key";
  size?: number; // 0 to 1: how much it weighs
  onMove?: (to: Point) => void;
}

export interface Field {
  side: number; // values on side x side places, row by row from the lower left
  colour: (value: number) => string;
  values: number[];
}

const kReach = 2;

// Above a point; below what moves among others, and below at the upper edge.
function labelHeight(dot: Dot, y: number, side: number): number {
  const away = 13 + 9 * Math.sqrt(dot.size ?? 0);
  const below = dot.look === "output" || y < 34;
  return below && y < side - 34 ? y + away + 9 : y - away;
}

// Places of a field, in the order of its values.
export function places(side: number): Point[] {
  const at = (i: number) => -kReach + ((i + 0.5) * 2 * kReach) / side;
  return Array.from({ length: side * side }, (_, i) => [at(i % side), at(Math.floor(i / side))] as Point);
}

export function Plane(props: {
  label: string;
  dots: Dot[];
  lines?: { from: Point; to: Point; weight: number }[];
  field?: Field;
}) {
  const { dots, lines = [], field } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const side = Math.min(width, 380);
  const x = scaleLinear().domain([-kReach, kReach]).range([0, side]);
  const y = scaleLinear().domain([-kReach, kReach]).range([side, 0]);
  const clamp = (value: number) => Math.round(100 * Math.max(-kReach, Math.min(kReach, value))) / 100;

  const drag = (dot: Dot) => (event: PointerEvent) => {
    if (!dot.onMove) return;
    event.preventDefault();
    const handle = event.currentTarget as SVGElement;
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const follow = (move: PointerEvent) => {
      const box = svg.current!.getBoundingClientRect();
      dot.onMove!([clamp(x.invert(move.clientX - box.left)), clamp(y.invert(move.clientY - box.top))]);
    };
    const release = () => {
      handle.removeEventListener("pointermove", follow);
      handle.removeEventListener("pointerup", release);
      handle.removeEventListener("pointercancel", release);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", release);
    handle.addEventListener("pointercancel", release);
  };
  const nudge = (dot: Dot) => (event: KeyboardEvent) => {
    const steps: Record<string, Point> = {
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, 0.1],
      ArrowDown: [0, -0.1],
    };
    const step = steps[event.key];
    if (!step || !dot.onMove) return;
    event.preventDefault();
    dot.onMove([clamp(dot.at[0] + step[0]), clamp(dot.at[1] + step[1])]);
  };

  return (
    <div ref={ref} class="plane">
      {width > 0 && (
        <svg ref={svg} width={side} height={side} role="group" aria-label={props.label}>
          {field?.values.map((value, i) => {
            const step = side / field.side;
            const [column, row] = [i % field.side, Math.floor(i / field.side)];
            return (
              <rect
                key={i}
                x={column * step}
                y={side - (row + 1) * step}
                width={step + 0.5}
                height={step + 0.5}
                fill={field.colour(value)}
              />
            );
          })}
          <g class="grid">
            {[-1, 0, 1].map((tick) => (
              <g key={tick} class={tick === 0 ? "zero" : ""}>
                <line x1={x(tick)} x2={x(tick)} y1={0} y2={side} />
                <line x1={0} x2={side} y1={y(tick)} y2={y(tick)} />
              </g>
            ))}
          </g>
          <g class="lines">
            {lines.map(({ from, to, weight }, i) => (
              <line
                key={i}
                x1={x(from[0])}
                y1={y(from[1])}
                x2={x(to[0])}
                y2={y(to[1])}
                stroke-width={1 + 6 * weight}
                stroke-opacity={0.1 + 0.7 * weight}
              />
            ))}
          </g>
          {dots.map((dot) => (
            <g key={dot.name} class={`dot ${dot.look ?? "key"}`}>
              {(dot.look ?? "key") !== "output" && dot.look !== "mean" && (
                <line class="arrow" x1={x(0)} y1={y(0)} x2={x(dot.at[0])} y2={y(dot.at[1])} />
              )}
              <circle
                cx={x(dot.at[0])}
                cy={y(dot.at[1])}
                r={7 + 9 * Math.sqrt(dot.size ?? 0)}
                class={dot.onMove ? "handle" : ""}
                tabindex={dot.onMove ? 0 : undefined}
                role={dot.onMove ? "slider" : undefined}
                aria-label={dot.onMove ? `${dot.name}, moved by arrow keys` : undefined}
                aria-valuenow={dot.onMove ? dot.at[0] : undefined}
                aria-valuetext={dot.onMove ? `${short(dot.at[0], 2)}, ${short(dot.at[1], 2)}` : undefined}
                onPointerDown={drag(dot)}
                onKeyDown={nudge(dot)}
              />
              <text x={x(dot.at[0])} y={labelHeight(dot, y(dot.at[1]), side)} text-anchor="middle">
                {dot.name}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}
