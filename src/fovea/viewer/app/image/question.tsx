// The field for a question about the picture, and questions to try.
import { isFile } from "../api";
import { setParams } from "../route";
import { Examples } from "../subject";
import type { PictureSubject } from "./subject";

export function QuestionBar({ subject }: { subject: PictureSubject }) {
  if (isFile) return null;
  const { typed } = subject;
  const change = (ask: string) => setParams({ ask });
  const picture = subject.pictures.find((one) => one.name === subject.name);
  const suggested = (picture?.questions ?? subject.model?.examples ?? []).slice(0, 6);
  return (
    <section class="question" aria-label="Ask a question">
      <div class="ask">
        <label class="hidden" for="question">
          Question
        </label>
        <input
          id="question"
          type="text"
          autocomplete="off"
          spellcheck={false}
          maxLength={400}
          placeholder="Ask about the picture"
          value={typed}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </div>
      <Examples texts={suggested.filter((one) => one !== typed)} onChoose={change} />
    </section>
  );
}
