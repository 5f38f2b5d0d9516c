import { Random } from "../numeric/random.js";

/** A seed of its own for one part of the work of a seed, such as fold 2 of layer 3: the path is where it is. */
export function seedAt(seed: number, ...path: number[]): number {
  let random = new Random(seed);
  for (const index of path) random = random.fork(index);
  return random.bits();
}
