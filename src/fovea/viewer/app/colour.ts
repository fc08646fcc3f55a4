// Colours of weights: one hue whose lightness alone tells the number, so that every eye and every printer can read
// it; blue and orange where a number has a sign. Computed in OKLab (Ottosson 2020), where equal steps look equal.

type Triple = [number, number, number];

export function oklch(lightness: number, chroma: number, hue: number): Triple {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear: Triple = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((x) => {
    const gamma = x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(1, Math.max(0, gamma)));
  }) as Triple;
}

const kBlue = 268; // hues in degrees: apart for every kind of colour blindness
const kOrange = 55;
const kSteps = 256;

interface Ramp {
  css: string[];
  dim: boolean[]; // darker than where black and white letters can be read equally well
  dots: Uint32Array; // as ImageData holds them on a little-endian machine: alpha, blue, green, red
}

// Relative luminance, as WCAG 2 reckons contrast from it.
function luminance(colour: Triple): number {
  const [r, g, b] = colour.map((byte) => {
    const x = byte / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  }) as Triple;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ramp(dark: boolean, hue: number): Ramp {
  const css: string[] = [];
  const dim: boolean[] = [];
  const dots = new Uint32Array(kSteps);
  for (let i = 0; i < kSteps; ++i) {
    const t = i / (kSteps - 1);
    // From the paper's own colour to the ink: chroma swells in the middle, where sRGB has room for it.
    const lightness = dark ? 0.24 + 0.66 * t : 0.975 - 0.6 * t;
    const chroma = 0.006 + (dark ? 0.13 : 0.17) * Math.sin(Math.PI * (0.12 + 0.62 * t)) * Math.min(1, 2.4 * t);
    const colour = oklch(lightness, chroma, hue);
    css.push(`rgb(${colour.join(" ")})`);
    dim.push(luminance(colour) < 0.179);
    dots[i] = ((255 << 24) | (colour[2] << 16) | (colour[1] << 8) | colour[0]) >>> 0;
  }
  return { css, dim, dots };
}

const ramps = new Map<string, Ramp>();
function rampOf(dark: boolean, negative: boolean): Ramp {
  const name = `${dark}${negative}`;
  let found = ramps.get(name);
  if (!found) ramps.set(name, (found = ramp(dark, negative ? kOrange : kBlue)));
  return found;
}

export interface Scale {
  css(value: number | null): string;
  dot(value: number): number; // the same colour as a dot of a picture
  onDark(value: number | null): boolean; // is text on it to be light?
  largest: number;
}

// largest: the weight that gets the full colour; weights of attention reach at most 1.
export function scaleOf(dark: boolean, largest = 1): Scale {
  const [up, down] = [rampOf(dark, false), rampOf(dark, true)];
  const factor = largest > 0 ? (kSteps - 1) / largest : 0;
  const step = (value: number) => Math.min(kSteps - 1, Math.round(Math.abs(value) * factor));
  return {
    largest,
    css: (value) => ((value ?? 0) < 0 ? down : up).css[step(value ?? 0)]!,
    dot: (value) => (value < 0 ? down : up).dots[step(value)]!,
    onDark: (value) => ((value ?? 0) < 0 ? down : up).dim[step(value ?? 0)]!,
  };
}

export function largestOf(rows: (number | null)[][]): number {
  let largest = 0;
  for (const row of rows) for (const value of row) largest = Math.max(largest, Math.abs(value ?? 0));
  return largest;
}
