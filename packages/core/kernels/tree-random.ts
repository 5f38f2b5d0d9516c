import { Tree } from "./tree-state";

/** Draws 32 random bits, by the generator of `src/runtime/random.ts`, sfc32, from which its state comes. */
@inline export function bits(tree: Tree): u32 {
  const b = tree.b, c = tree.c;
  const sum = tree.a + b + tree.counter;
  tree.counter += 1;
  tree.a = b ^ (b >> 9);
  tree.b = c + (c << 3);
  tree.c = rotl<u32>(c, 21) + sum;
  return sum;
}

/** Draws a random integer in [0, n), with a bias of at most n / 2³². */
@inline export function below(tree: Tree, n: i32): i32 {
  return <i32>((<u64>bits(tree) * <u64>n) >> 32);
}
