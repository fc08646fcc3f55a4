// Lesson 8: soft against hard on a picture. Which of its tiles to look at is learnt: exactly, or from throws of dice.
import { useMemo, useRef } from "preact/hooks";
import { type Attend, useAttend, usePictures } from "../api";
import { at, Looked, Outline, type Picture } from "../image/looked";
import { type Pixels, reduced, usePixels } from "../image/retina";
import { setParams, useRoute } from "../route";
import type { Box } from "../trace";
import { Button, Choice, percent, Select, Slider } from "../ui";
import { distance, estimate, Gradients, kSide, kSize, kTiles } from "./gradients";
import { Lesson, throwsOf, useNumber } from "./parts";

const kTile = 8; // pixels each way that a tile is read with
const kPictures = 6;
const kMostPowers = 12;
const kRate = 12; // of a step: large enough that a few of them show
const kReach = 24; // pixels from the ball at which a look is worth a third of one at it

// At first it looks at the middle, which is a guess as good as any.
const kScores = kTiles.map((_, i) => ([5, 6, 9, 10].includes(i) ? 1 : 0));

const digits = (value: number) => Number(value.toFixed(3));

function useScores(): [number[], (next: number[]) => void] {
  const { params } = useRoute();
  const given = (params.k ?? "").split(",").map(Number);
  const good = given.length === kTiles.length && given.every(Number.isFinite);
  return [good ? given : kScores, (next) => setParams({ k: next.map(digits).join(",") })];
}

// Everything that depends on the scores: what is seen in the tiles; the same, thrown once; what the tiles are worth,
// after 1, 2, 4, ... throws.
function requestsFor(scores: number[], seen: number[][], worth: number[], power: number, seed: number): Attend[] {
  const common = { query: [[1]], key: scores.map((one) => [digits(one)]), score: "dot", seed };
  const value = worth.map((one) => [digits(one)]);
  return [
    { ...common, value: seen, samples: 2 ** power },
    { ...common, value: seen, samples: 1 },
    ...Array.from({ length: power + 1 }, (_, i) => ({ ...common, value, samples: 2 ** i, gradient: true })),
  ];
}

const apart = (a: Box, b: Box) => Math.hypot((a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2);

// The picture in tiles that can be made likelier; the one of a throw has a frame.
function Tiles(props: {
  image: Picture;
  weights: number[];
  thrown: number;
  ball: Box;
  onRaise: (k: number, by: number) => void;
}) {
  const { image, weights, thrown, ball, onRaise } = props;
  const box = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent, k: number) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -kSide, ArrowDown: kSide };
    if (steps[event.key] !== undefined)
      box.current?.querySelectorAll<SVGElement>(".tile")[k + steps[event.key]!]?.focus();
    else if (event.key === "+" || event.key === "Enter" || event.key === " ") onRaise(k, 0.5);
    else if (event.key === "-") onRaise(k, -0.5);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={box}>
      <Looked image={image} label="Tiles and how likely each is" cells={kTiles} row={weights} exact>
        <Outline box={ball} class="dashed" />
        {kTiles[thrown]?.box && <Outline box={kTiles[thrown]!.box!} class="finest" />}
        {kTiles.map(({ text, box: tile }, k) => (
          <g
            key={k}
            class="tile"
            role="button"
            tabindex={0}
            aria-label={`${text}: ${percent(weights[k], 1)}; make it likelier`}
            onClick={(event) => onRaise(k, event.shiftKey ? -0.5 : 0.5)}
            onKeyDown={(event) => onKeyDown(event, k)}
          >
            <rect {...at(tile!)} />
            <text x={tile![0] + 1} y={tile![3] - 1.4} font-size="3.4" stroke-width="0.9" data-tile={k}>
              {percent(weights[k], 1)}
            </text>
          </g>
        ))}
      </Looked>
    </div>
  );
}

// Numbers of a tile as a picture again.
function tilePicture(numbers: number[]): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [kTile, kTile];
  const pen = canvas.getContext("2d")!;
  const dots = pen.createImageData(kTile, kTile);
  for (let i = 0; i < kTile ** 2; ++i) {
    dots.data.set([...numbers.slice(3 * i, 3 * i + 3).map((one) => 255 * one), 255], 4 * i);
  }
  pen.putImageData(dots, 0, 0);
  return canvas.toDataURL("image/png");
}

function TileSeen({ numbers, name }: { numbers: number[] | undefined; name: string }) {
  const href = useMemo(() => (numbers ? tilePicture(numbers) : ""), [numbers]);
  return (
    <figure class="tile-seen">
      <svg viewBox="0 0 8 8" role="img" aria-label={name}>
        {href && <image href={href} width="8" height="8" image-rendering="pixelated" />}
      </svg>
      <figcaption>{name}</figcaption>
    </figure>
  );
}

function Text() {
  return (
    <>
      <p>
        A picture in {kSide ** 2} tiles, each with a probability. <strong>Soft</strong> attention reads a mixture of all
        of them, and so a blur. <strong>Hard</strong> attention looks at one tile, and sees it sharply.
      </p>
      <p>
        It is to learn to look at the <strong>ball</strong>: the nearer a tile, the more a look at it is worth. Through
        a mixture, the gradient is exact. Through a throw of dice no gradient goes; but the reward of each throw, times
        the gradient of the logarithm of its probability, is right <em>on average</em> (the score function, REINFORCE).
      </p>
      <p>
        Throw more often, and the sampled gradient comes to the exact one. Take a <em>baseline</em> off the reward, what
        is to be expected anyway, and it comes there sooner. Then let it learn, step by step.
      </p>
    </>
  );
}

export function TilesLesson() {
  const { params } = useRoute();
  const [power, setPower] = useNumber("n", 8);
  const [seed, setSeed] = useNumber("seed", 1);
  const [number, setNumber] = useNumber("picture", 0);
  const [scores, setScores] = useScores();
  const most = Math.max(0, Math.min(kMostPowers, Math.round(power)));
  const calm = params.base === "yes";
  const drawn = usePictures("scene", kSize, 0, kPictures);
  const picture = drawn.pictures[Math.max(0, Math.min(kPictures - 1, Math.round(number)))];
  const image = { width: kSize, height: kSize, png: picture?.png ?? "" };
  const pixels = usePixels(image);
  const seen = useMemo(() => (pixels ? kTiles.map(({ box }) => seenIn(pixels, box!)) : []), [pixels]);
  const ball: Box = picture?.boxes.find((one) => one.text.endsWith(" ball"))?.box ?? [0, 0, 1, 1];
  const worth = kTiles.map(({ box }) => Math.exp(-apart(box!, ball) / kReach));
  // Another picture is not seen at first: then nothing is asked, and nothing of the one before is left.
  const answered = useAttend(seen.length > 0 ? requestsFor(scores, seen, worth, most, seed) : []);
  const [tiles, once, ...rewards] = answered.exchanges.map((one) => one.answer);
  const last = rewards[rewards.length - 1];
  const exact = last?.gradient?.exact[0] ?? [];
  const sampled = estimate(last, calm);
  const raise = (k: number, by: number) => setScores(scores.map((one, i) => (i === k ? one + by : one)));
  const step = (gradient: number[]) => {
    const from = answered.exchanges[0]!.request.key; // where the gradient was taken
    setScores(from.map(([one], k) => one! + kRate * (gradient[k] ?? 0)));
    if (gradient === sampled) setSeed(seed + 1);
  };
  const seenOnce = once?.hard?.mean_output[0];
  const thrown = seenOnce ? seen.findIndex((tile) => distance(tile, seenOnce) < 1e-3) : -1;
  const throws = throwsOf(rewards.length - 1);
  return (
    <Lesson
      text={<Text />}
      controls={
        <>
          <Slider label="Throws" value={most} min={0} max={kMostPowers} text={throwsOf(most)} onChange={setPower} />
          <Button onClick={() => setSeed(seed + 1)}>Throw anew</Button>
          <Choice
            label="Baseline"
            value={calm ? "yes" : "no"}
            options={[
              ["no", "Reward as it is"],
              ["yes", "Less a baseline"],
            ]}
            onChange={(base) => setParams({ base })}
          />
          <Select
            label="Picture"
            value={String(number)}
            options={Array.from({ length: kPictures }, (_, i) => [String(i), String(i + 1)] as const)}
            onChange={(one) => setNumber(Number(one))}
          />
        </>
      }
      of={drawn.error ? drawn : answered}
    >
      {tiles && last && !answered.error && (
        <>
          <div class="tiles-top">
            <figure>
              <Tiles image={image} weights={last.weights[0]!} thrown={thrown} ball={ball} onRaise={raise} />
              <figcaption>
                Choose a tile to make it likelier (with Shift, less likely). Expected reward:{" "}
                <strong data-number="reward">{percent(last.output[0]?.[0], 1)}</strong>
              </figcaption>
            </figure>
            <div class="tiles-seen">
              <TileSeen numbers={tiles.output[0]} name="soft: a mixture of all" />
              <TileSeen numbers={seenOnce} name="hard: one throw" />
              <TileSeen numbers={tiles.hard?.mean_output[0]} name={`mean of ${throws} throws`} />
            </div>
          </div>
          <div class="figure-bar" data-unsaved>
            <Button class="primary" onClick={() => step(sampled)}>
              Learn from these throws
            </Button>
            <Button onClick={() => step(exact)}>Learn from the exact gradient</Button>
            <Button onClick={() => setParams({ k: "" })}>Start over</Button>
          </div>
          <Gradients image={image} rewards={rewards} calm={calm} throws={throws} />
        </>
      )}
    </Lesson>
  );
}

// A tile's colours, from 0 to 1, row by row.
function seenIn(pixels: Pixels, box: Box): number[] {
  const dots = reduced(pixels, { box, size: kTile });
  return [...dots].filter((_, i) => i % 4 !== 3).map((byte) => digits(byte / 255));
}
