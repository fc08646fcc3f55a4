// Attention from the beginning, in eight lessons.
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { useRoute, viewAddress } from "../route";
import { Retrieve, Scores, Temperature } from "./retrieve";
import { RootOfDim, SelfAndCross, SoftAndHard } from "./sample";
import { SingleVector } from "./single_vector";
import { TilesLesson } from "./tiles";

const kLessons: { name: string; show: FunctionComponent }[] = [
  { name: "Ask, compare, read", show: Retrieve },
  { name: "Ways to score", show: Scores },
  { name: "Temperature", show: Temperature },
  { name: "Soft and hard", show: SoftAndHard },
  { name: "Self and cross", show: SelfAndCross },
  { name: "Why 1/√d", show: RootOfDim },
  { name: "One vector is not enough", show: SingleVector },
  { name: "Soft against hard on a picture", show: TilesLesson },
];

export function Learn() {
  const { params } = useRoute();
  const at = Math.max(1, Math.min(kLessons.length, Number.parseInt(params.lesson ?? "1", 10) || 1));
  const lesson = kLessons[at - 1]!;
  const next = kLessons[at];
  const address = (n: number) => viewAddress("learn", { lesson: String(n) });
  useEffect(() => {
    document.querySelector(".lessons [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [at]);
  const Shown = lesson.show;
  return (
    <>
      <nav class="lessons" aria-label="Lessons" data-unsaved>
        {kLessons.map((one, i) => (
          <a key={one.name} href={address(i + 1)} aria-current={i + 1 === at ? "page" : undefined}>
            <span class="number">{i + 1}</span> {one.name}
          </a>
        ))}
      </nav>
      <h2 class="lesson-title">
        <span class="number">{at}</span> {lesson.name}
      </h2>
      <Shown key={at} />
      {next && (
        <p class="next" data-unsaved>
          <a href={address(at + 1)}>Next: {next.name} →</a>
        </p>
      )}
    </>
  );
}
