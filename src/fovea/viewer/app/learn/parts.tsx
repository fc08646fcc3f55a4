// What lessons share: their frame, bars of weights, points kept in the address.
import type { ComponentChildren } from "preact";
import { setParams, useRoute } from "../route";
import { type Outcome, percent, Result, short } from "../ui";
import type { Point } from "./plane";

export function Lesson(props: {
  text: ComponentChildren;
  controls?: ComponentChildren;
  of: Outcome; // what the children show
  children: ComponentChildren;
}) {
  return (
    <div class="lesson">
      <div class="lesson-text">{props.text}</div>
      <div class="lesson-hands">
        {props.controls && <div class="figure-bar">{props.controls}</div>}
        <Result of={props.of}>{props.children}</Result>
      </div>
    </div>
  );
}

// Key, score, weight: a line each.
export function WeightTable(props: {
  names: string[];
  scores?: (number | null)[] | undefined;
  weights: number[];
  label: string;
}) {
  const { names, scores, weights } = props;
  return (
    <table class="weights" aria-label={props.label}>
      <thead>
        <tr>
          <th scope="col">key</th>
          {scores && <th scope="col">score</th>}
          <th scope="col">weight</th>
          <th aria-hidden="true" />
        </tr>
      </thead>
      <tbody>
        {names.map((name, k) => (
          <tr key={k}>
            <th scope="row">{name}</th>
            {scores && <td>{scores[k] === null ? "hidden" : short(scores[k], 2)}</td>}
            <td data-weight={k}>{percent(weights[k], 1)}</td>
            <td class="bar" aria-hidden="true">
              <svg width="100%" height="12">
                <rect width={`${100 * (weights[k] ?? 0)}%`} height="12" rx="3" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const parsePoint = (text: string): Point | null => {
  const numbers = text.split(",").map(Number);
  return numbers.length === 2 && numbers.every(Number.isFinite) ? [numbers[0]!, numbers[1]!] : null;
};

// Points that can be moved, kept in the address once they were.
export function usePoints(param: string, usual: Point[]): [Point[], (index: number, to: Point) => void] {
  const { params } = useRoute();
  const given = (params[param] ?? "").split(";").map(parsePoint);
  const points = given.length === usual.length && given.every((one) => one !== null) ? (given as Point[]) : usual;
  const move = (index: number, to: Point) =>
    setParams({ [param]: points.map((one, i) => (i === index ? to : one).join(",")).join(";") });
  return [points, move];
}

// As many throws as a slider says that doubles them with every step.
export const throwsOf = (power: number): string => (2 ** power).toLocaleString("en");

export function useNumber(param: string, usual: number): [number, (value: number) => void] {
  const { params } = useRoute();
  const value = Number(params[param] ?? usual);
  return [Number.isFinite(value) ? value : usual, (next) => setParams({ [param]: String(next) })];
}
