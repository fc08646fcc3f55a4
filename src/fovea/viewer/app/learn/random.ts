// Random vectors that are the same for everyone who opens the same address.

// A small generator of whole numbers (Marsaglia's xorshift), enough for a picture.
function uniform(seed: number): () => number {
  let state = (seed * 2654435769) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return (state + 0.5) / 2 ** 32;
  };
}

// rows x dim normal numbers (Box and Muller), to four digits: they travel as text.
export function normals(rows: number, dim: number, seed: number): number[][] {
  const next = uniform(seed);
  const one = () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
  return Array.from({ length: rows }, () => Array.from({ length: dim }, () => Math.round(1e4 * one()) / 1e4));
}
