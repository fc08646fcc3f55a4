// What is looked at: a model and a picture, a built-in one or the reader's own, chosen at the top of a view.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Asked, type BuiltIn, isFile, type Model, usePictures } from "../api";
import { setParams, useRoute } from "../route";
import { FileSubject, ModelSelect, useModel } from "../subject";
import { Button, ErrorLine } from "../ui";
import { upload, uploaded } from "./upload";

const kPage = 12; // pictures to choose from at a time
const kUpload = "upload";

export interface PictureSubject {
  models: Model[];
  model: Model | undefined;
  name: string; // of the picture
  from: number; // the first of the pictures to choose from
  pictures: BuiltIn[];
  error: string; // why there are no pictures
  again: (() => void) | undefined;
  typed: string;
  question: string; // what is typed, without the spaces around it
  asked: Asked;
}

const kMost = 1_000_000 - kPage;

// The number of a picture of a world; 0 if it is another's.
function numberIn(name: string, world: string): number {
  const found = /^([a-z]+):(\d{1,9})$/.exec(name);
  return found && found[1] === world ? Math.min(Number(found[2]), kMost) : 0;
}
const first = (index: number) => index - (index % kPage);

// As the server draws them: no smaller than a digit, no larger than it is worth.
const sizeFor = (model: Model | undefined) =>
  Math.max(28, Math.min(256, model?.image?.width ?? 64, model?.image?.height ?? 64));

export function usePictureSubject(fits: (model: Model) => boolean): PictureSubject {
  const { params } = useRoute();
  const { models, model } = useModel(fits);
  const own = params.p === kUpload && uploaded() !== "";
  const world = model?.world ?? "";
  const index = numberIn(params.p ?? "", world);
  const name = own || !world ? kUpload : `${world}:${index}`;
  const from = first(index);
  const { pictures, error, again } = usePictures(world, sizeFor(model), from, kPage);
  const picture = pictures.find((one) => one.name === name);
  const typed = model?.asks ? (params.ask ?? picture?.questions[0] ?? model.examples[0] ?? "") : "";
  const question = typed.trim();
  const image = own ? uploaded() : name === kUpload ? "" : name;
  const asked = { image, ...(model?.asks ? { question } : {}) };
  return { models, model, name, from, pictures, error, again, typed, question, asked };
}

// A question about one picture alone does not follow to the next.
function choose(name: string, subject: PictureSubject) {
  const known = subject.pictures.some((one) => one.questions.includes(subject.question));
  setParams({ p: name, i: "", cell: "", ...(known ? { ask: undefined } : {}) });
}

function Thumbnail(props: { picture: BuiltIn; chosen: boolean; reachable: boolean; onChoose: () => void }) {
  const { picture, chosen } = props;
  return (
    <button
      type="button"
      role="radio"
      aria-checked={chosen}
      aria-label={picture.about || picture.name}
      title={picture.about}
      tabIndex={props.reachable ? 0 : -1}
      class={`thumbnail${chosen ? " chosen" : ""}`}
      onClick={props.onChoose}
    >
      <img src={`data:image/png;base64,${picture.png}`} alt="" />
    </button>
  );
}

function Strip({ subject }: { subject: PictureSubject }) {
  const { pictures, name } = subject;
  const box = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const at = pictures.findIndex((one) => one.name === name);
  useLayoutEffect(() => {
    const chosen = box.current?.querySelector<HTMLElement>('[aria-checked="true"]');
    if (moved.current) chosen?.focus();
    moved.current = false;
  }, [name]);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const next = by === undefined ? undefined : pictures[at + by];
    if (!next) return;
    event.preventDefault();
    moved.current = true;
    choose(next.name, subject);
  };
  return (
    <div ref={box} class="thumbnails" role="radiogroup" aria-label="Pictures" onKeyDown={onKeyDown}>
      {pictures.map((one, i) => (
        <Thumbnail
          key={one.name}
          picture={one}
          chosen={i === at}
          reachable={i === Math.max(0, at)}
          onChoose={() => choose(one.name, subject)}
        />
      ))}
    </div>
  );
}

// A file that is chosen or dropped.
function Upload({ subject }: { subject: PictureSubject }) {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState("");
  const take = async (file: Blob | null | undefined) => {
    if (!file) return;
    try {
      await upload(file);
      setError("");
      choose("", subject); // the same name again may be another picture
      choose(kUpload, subject);
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  const chosen = subject.name === kUpload && uploaded() !== "";
  return (
    <>
      <label
        class={`upload${chosen ? " chosen" : ""}`}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => (event.preventDefault(), void take(event.dataTransfer?.files[0]))}
      >
        <input
          ref={field}
          type="file"
          accept="image/png,image/jpeg,image/*"
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
        {chosen ? <img src={`data:image;base64,${uploaded()}`} alt="Your picture" /> : <span>Your own…</span>}
      </label>
      <ErrorLine text={error} />
    </>
  );
}

export function PictureBar(props: { subject: PictureSubject; busy: boolean }) {
  const { subject, busy } = props;
  const { models, model, from, pictures } = subject;
  if (isFile) return <FileSubject />;
  const world = model?.world ?? "";
  return (
    <section class={`subject pictures${busy ? " busy" : ""}`} aria-label="Picture and model">
      <div class="picture-bar" data-unsaved>
        {pictures.length > 0 && <Strip subject={subject} />}
        <Upload subject={subject} />
      </div>
      <div class="picture-tools">
        {world && (
          <span class="pages" data-unsaved>
            <Button
              aria-label="Pictures before these"
              disabled={from === 0}
              onClick={() => choose(`${world}:${from - kPage}`, subject)}
            >
              ‹
            </Button>
            <Button aria-label="Other pictures" onClick={() => choose(`${world}:${from + kPage}`, subject)}>
              Others ›
            </Button>
          </span>
        )}
        <ModelSelect label="Model" value={model?.name ?? ""} models={models} param="m" />
      </div>
      <ErrorLine text={subject.error} again={subject.again} />
    </section>
  );
}
