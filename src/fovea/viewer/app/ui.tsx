// Small parts that all views share.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Answered } from "./api";

export const percent = (value: number | null | undefined, digits = 0): string =>
  value == null ? "–" : `${(100 * value).toFixed(digits)} %`;
export const short = (value: number | null | undefined, digits = 3): string =>
  value == null
    ? "–"
    : value
        .toFixed(digits)
        .replace(/^-(0(\.0*)?)$/, "$1")
        .replace(/^-/, "−");

// Width of an element, followed as it changes.
export function useWidth<Kind extends HTMLElement>(): [RefObject<Kind>, number] {
  const ref = useRef<Kind>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

const pen = document.createElement("canvas").getContext("2d");
const family = "system-ui, sans-serif";
export function textWidth(text: string, size: number): number {
  if (!pen) return 0.55 * size * text.length;
  pen.font = `${size}px ${family}`;
  return pen.measureText(text).width;
}

export function clipped(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size) > room) letters.pop();
  return `${letters.join("")}…`;
}

export function Choice<Value extends string>(props: {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, text]) => (
        <label key={value} class={value === props.value ? "chosen" : ""}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

export function Select(props: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <label class="select">
      <span>{props.label}</span>
      <select
        aria-label={props.label}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Slider(props: {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  text?: string;
  onChange: (value: number) => void;
}) {
  return (
    <label class="slider">
      <span>
        {props.label} <output>{props.text ?? String(props.value)}</output>
      </span>
      <input
        type="range"
        aria-label={props.label}
        min={props.min}
        max={props.max}
        step={props.step ?? 1}
        value={props.value}
        aria-valuetext={props.text}
        onInput={(event) => props.onChange(Number(event.currentTarget.value))}
      />
    </label>
  );
}

export function Button(props: JSX.ButtonHTMLAttributes & { children?: ComponentChildren }) {
  return <button type="button" {...props} />;
}

export function ErrorLine({ text, again }: { text: string; again?: (() => void) | undefined }) {
  return (
    <div class="error-place">
      <div role="alert">{text && <p class="error">{text}</p>}</div>
      {text && again && <Button onClick={again}>Try again</Button>}
    </div>
  );
}

export type Outcome = Omit<Answered<unknown, unknown>, "exchanges">;

// What is drawn of an answer, or why there is none. It goes faint while the next is awaited: then it is the answer to
// something else than what the controls around it say.
export function Result(props: { of: Outcome; children: ComponentChildren }) {
  const { error, again, busy } = props.of;
  return (
    <>
      <ErrorLine text={error} again={again} />
      <div class={`result${busy ? " stale" : ""}`} aria-busy={busy}>
        {props.children}
      </div>
    </>
  );
}

export function Note({ children }: { children: ComponentChildren }) {
  return <p class="note">{children}</p>;
}

// The scale of a picture, for the eye to hold against.
export function Legend({ colours, from, to, label }: { colours: string[]; from: string; to: string; label: string }) {
  return (
    <div class="legend" role="img" aria-label={`${label}: from ${from} to ${to}`}>
      <span>{from}</span>
      <svg width={colours.length * 10} height="10" aria-hidden="true">
        {colours.map((colour, i) => (
          <rect key={i} x={10 * i} width="10.5" height="10" fill={colour} />
        ))}
      </svg>
      <span>{to}</span>
    </div>
  );
}
