import { Grower } from "./tree-state";

/** Draws 32 random bits, by the generator of `src/runtime/maths/random.ts`, sfc32, from which its state comes. */
@inline export function bits(grower: Grower): u32 {
  const b = grower.b, c = grower.c;
  const sum = grower.a + b + grower.counter;
  grower.counter += 1;
  grower.a = b ^ (b >> 9);
  grower.b = c + (c << 3);
  grower.c = rotl<u32>(c, 21) + sum;
  return sum;
}

/** Draws a random integer in [0, n), with a bias of at most n / 2³². */
@inline export function below(grower: Grower, n: i32): i32 {
  return <i32>((<u64>bits(grower) * <u64>n) >> 32);
}
