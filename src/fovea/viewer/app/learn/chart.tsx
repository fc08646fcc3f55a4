// A small chart of lines over powers of two.
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { useWidth } from "../ui";

export interface Curve {
  name: string;
  at: [number, number][]; // x is a power of two
  strong?: boolean;
}

const kMargin = { left: 40, right: 12, top: 10, bottom: 34 };

export function Chart(props: { label: string; across: string; curves: Curve[]; most: number; marked?: number }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const wide = Math.min(width, 460);
  const tall = 230;
  const powers = props.curves.flatMap((curve) => curve.at.map(([x]) => x));
  const x = scaleLinear()
    .domain([Math.min(...powers), Math.max(...powers)])
    .range([kMargin.left, wide - kMargin.right]);
  const y = scaleLinear()
    .domain([0, props.most])
    .range([tall - kMargin.bottom, kMargin.top])
    .nice();
  const path = line<[number, number]>()
    .x((at) => x(at[0]))
    .y((at) => y(at[1]));
  const ticks = [...new Set(powers)].sort((a, b) => a - b);
  const every = Math.ceil(ticks.length / 7);
  return (
    <div ref={ref} class="chart">
      <p class="curve-names">
        {props.curves.map((curve) => (
          <span key={curve.name} class={curve.strong ? "strong" : ""}>
            {curve.name}
          </span>
        ))}
      </p>
      {width > 0 && powers.length > 0 && (
        <svg width={wide} height={tall} role="img" aria-label={props.label}>
          <g class="grid">
            {y.ticks(4).map((tick) => (
              <g key={tick}>
                <line x1={kMargin.left} x2={wide - kMargin.right} y1={y(tick)} y2={y(tick)} />
                <text x={kMargin.left - 6} y={y(tick) + 4} text-anchor="end">
                  {tick}
                </text>
              </g>
            ))}
            {ticks
              .filter((_, i) => i % every === 0)
              .map((tick) => (
                <text key={tick} x={x(tick)} y={tall - kMargin.bottom + 16} text-anchor="middle">
                  {2 ** tick}
                </text>
              ))}
            <text x={wide - kMargin.right} y={tall - 3} text-anchor="end">
              {props.across}
            </text>
          </g>
          {props.marked !== undefined && (
            <line
              class="marked"
              x1={x(props.marked)}
              x2={x(props.marked)}
              y1={kMargin.top}
              y2={tall - kMargin.bottom}
            />
          )}
          {props.curves.map((curve) => {
            return (
              <g key={curve.name} class={`curve${curve.strong ? " strong" : ""}`}>
                <path d={path(curve.at) ?? ""} />
                {curve.at.map(([a, b]) => (
                  <circle key={a} cx={x(a)} cy={y(b)} r="2.5" />
                ))}
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}
