import type { Random } from "../numeric/random.js";

/** A share of the numbers 0 … count − 1, at least one, ascending; each as likely as any other (Knuth, algorithm 3.4.2 S). */
export function drawNumbers(count: number, share: number, random: Random): Int32Array {
  const drawn = new Int32Array(Math.max(1, Math.round(count * share)));
  for (let i = 0, found = 0; found < drawn.length; i++) {
    if ((count - i) * random.uniform() < drawn.length - found) drawn[found++] = i;
  }
  return drawn;
}

/** Which of the features that a mask allows are left when a share of them, at least one, is drawn. */
export function drawMask(mask: Uint8Array, share: number, random: Random): Uint8Array {
  const allowed: number[] = [];
  for (let j = 0; j < mask.length; j++) if (mask[j]) allowed.push(j);
  const drawn = new Uint8Array(mask.length);
  for (const place of drawNumbers(allowed.length, share, random)) drawn[allowed[place]] = 1;
  return drawn;
}
