// A picture of the reader's own: made small enough to be sent, and kept while the browser's window lasts.

const kSide = 512; // pixels: models look at less
const kName = "fovea-upload";

function remembered(): string {
  try {
    return sessionStorage.getItem(kName) ?? "";
  } catch {
    return "";
  }
}

let kept = remembered(); // the file in base64
export const uploaded = (): string => kept;

// Turned as its camera says, no side longer than kSide. Fails with a line for people to read.
export async function upload(file: Blob): Promise<void> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error("This is not a picture that the browser can read; choose a PNG or JPEG.");
  });
  const factor = Math.min(1, kSide / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(factor * picture.width));
  canvas.height = Math.max(1, Math.round(factor * picture.height));
  const pen = canvas.getContext("2d")!;
  pen.imageSmoothingQuality = "high";
  pen.fillStyle = "#ffffff"; // behind what is transparent
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  kept = canvas.toDataURL("image/png").split(",")[1] ?? "";
  if (kept.length > 600_000) kept = canvas.toDataURL("image/jpeg", 0.92).split(",")[1] ?? "";
  try {
    sessionStorage.setItem(kName, kept);
  } catch {
    // Then it is gone when the page is loaded again.
  }
}
