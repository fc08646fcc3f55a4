// Going through something step by step: by buttons, by arrow keys, or by itself.
import { useEffect, useState } from "preact/hooks";
import { currentRoute, useRoute } from "./route";
import { Button, Choice } from "./ui";

const kPace = { slow: 2600, normal: 1300, fast: 450 } as const; // milliseconds a step
type Pace = keyof typeof kPace;

// Bars and triangles, drawn: not every system has these signs in its letters.
function Sign({ of }: { of: "first" | "back" | "on" | "last" }) {
  const paths = {
    first: "M3 3v10M13 3L6 8l7 5z",
    back: "M12 3L5 8l7 5z",
    on: "M4 3l7 5-7 5z",
    last: "M13 3v10M3 3l7 5-7 5z",
  };
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={paths[of]} fill="currentColor" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
    </svg>
  );
}

interface Props {
  count: number; // of steps
  stride?: number; // arrow down and up go over so many, to the first of them
  read: (params: Record<string, string>) => number; // the step that the address names
  write: (step: number) => void;
  status: string;
}

export function Player({ count, stride = 1, read, write, status }: Props) {
  const at = read(useRoute().params);
  const [pace, setPace] = useState<Pace>("normal");
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      if (at + 1 < count) write(at + 1);
      else setPlaying(false);
    }, kPace[pace]);
    return () => clearTimeout(timer);
  }, [playing, pace, at, count]);
  // From where the address is now: a key may come before what the last one changed was drawn.
  const go = (next: (from: number) => number) => {
    setPlaying(false);
    const to = next(read(currentRoute().params));
    if (to >= 0 && to < count) write(to);
  };
  const step = (by: 1 | -1) => go((from) => from + by);
  const leap = (by: 1 | -1) => go((from) => (Math.floor(from / stride) + by) * stride);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || event.altKey || event.ctrlKey || event.metaKey) return;
      if (target.closest?.('[role="radiogroup"], [role="grid"]')) return;
      if (event.key === "ArrowRight") step(1);
      else if (event.key === "ArrowLeft") step(-1);
      else if (event.key === "ArrowDown") leap(1);
      else if (event.key === "ArrowUp") leap(-1);
      else if (event.key === " " && !target.closest?.("button, summary, a")) setPlaying(!playing);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
  const play = () => {
    if (!playing && at + 1 >= count) write(0);
    setPlaying(!playing);
  };
  return (
    <div class="figure-bar player">
      <div class="controls" role="group" aria-label="Player" data-unsaved>
        <Button aria-label="To the beginning" onClick={() => go(() => 0)}>
          <Sign of="first" />
        </Button>
        <Button aria-label="A step back" onClick={() => step(-1)}>
          <Sign of="back" />
        </Button>
        <Button class="primary" onClick={play}>
          {playing ? "Pause" : "Play"}
        </Button>
        <Button aria-label="A step on" onClick={() => step(1)}>
          <Sign of="on" />
        </Button>
        <Button aria-label="To the end" onClick={() => go(() => count - 1)}>
          <Sign of="last" />
        </Button>
        <Choice
          label="Pace"
          value={pace}
          options={[
            ["slow", "Slow"],
            ["normal", "Normal"],
            ["fast", "Fast"],
          ]}
          onChange={setPace}
        />
      </div>
      <span class="quiet" role="status">
        {status}
      </span>
    </div>
  );
}

// A whole number of the address, from 0 to `most`.
export const whole = (text: string | undefined, most: number): number =>
  Math.max(0, Math.min(most, Number.parseInt(text ?? "0", 10) || 0));
