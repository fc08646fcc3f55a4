// What the retina saw at a glimpse: patches around one place, the finest first, each next twice as wide, all with as
// many pixels (src/fovea/attention/glimpse.h).
import { useEffect, useRef, useState } from "preact/hooks";
import type { Box } from "../trace";
import { type Picture, source } from "./looked";

export interface Patch {
  box: Box; // in the picture; may reach beyond it, where there is 0
  size: number; // pixels each way that it is reduced to
}

// Around the centre of the finest box, from whole pixels on.
export function patchesOf(finest: Box, sides: number[]): Patch[] {
  const [x, y] = [(finest[0] + finest[2]) / 2, (finest[1] + finest[3]) / 2];
  const size = Math.max(1, Math.round(sides[0] ?? finest[2] - finest[0]));
  return sides.map((side) => {
    const [left, top] = [Math.round(x - side / 2), Math.round(y - side / 2)];
    return { box: [left, top, left + side, top + side], size };
  });
}

export type Pixels = Pick<ImageData, "width" | "height" | "data">;

// Each pixel is the mean of what it covers.
export function reduced(picture: Pixels, { box, size }: Patch): Uint8ClampedArray {
  const dots = new Uint8ClampedArray(4 * size * size);
  const step = (box[2] - box[0]) / size;
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const sum = [0, 0, 0];
      let count = 0;
      for (let y = Math.floor(box[1] + row * step); y < Math.floor(box[1] + (row + 1) * step); ++y) {
        for (let x = Math.floor(box[0] + column * step); x < Math.floor(box[0] + (column + 1) * step); ++x) {
          ++count;
          if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) continue;
          for (let c = 0; c < 3; ++c) sum[c]! += picture.data[4 * (y * picture.width + x) + c]!;
        }
      }
      dots.set([...sum.map((one) => one / Math.max(1, count)), 255], 4 * (row * size + column));
    }
  }
  return dots;
}

// The picture's pixels, once the browser has read them.
export function usePixels(image: Picture): Pixels | null {
  const [read, setRead] = useState<{ png: string; pixels: Pixels } | null>(null);
  useEffect(() => {
    let wanted = true;
    if (image.png === "") return;
    const picture = new Image();
    picture.src = source(image);
    void picture.decode().then(
      () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const pen = canvas.getContext("2d", { willReadFrequently: true })!;
        pen.drawImage(picture, 0, 0, image.width, image.height);
        if (wanted) setRead({ png: image.png, pixels: pen.getImageData(0, 0, image.width, image.height) });
      },
      () => {}, // it is not seen either
    );
    return () => void (wanted = false);
  }, [image.png]);
  return read?.png === image.png ? read.pixels : null;
}

function PatchPicture({ pixels, patch, name }: { pixels: Pixels; patch: Patch; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    if (!pen) return;
    const dots = pen.createImageData(patch.size, patch.size);
    dots.data.set(reduced(pixels, patch));
    pen.putImageData(dots, 0, 0);
  }, [pixels, patch.box.join(), patch.size]);
  return <canvas ref={canvas} width={patch.size} height={patch.size} role="img" aria-label={name} />;
}

export function Retina({ image, patches }: { image: Picture; patches: Patch[] }) {
  const pixels = usePixels(image);
  return (
    <div class="retina">
      {patches.map((patch, i) => {
        const side = patch.box[2] - patch.box[0];
        return (
          <figure key={i}>
            {pixels && <PatchPicture pixels={pixels} patch={patch} name={`Scale ${i + 1}`} />}
            <figcaption>
              {side} × {side}
              {side !== patch.size && ` as ${patch.size} × ${patch.size}`}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}
