import type { NumericValues } from "./table.js";
import { forEachBlock, type ValueRange } from "./value-blocks.js";

/** Mean and standard deviation of `scale · x` over the present cells x of a column that is not constant. */
export interface Moments {
  /** A power of two, 1 unless the values are so large or small that their squares would leave the doubles. */
  readonly scale: number;
  readonly mean: number;
  /** With divisor n; positive. */
  readonly deviation: number;
}

/**
 * Mean and deviation in two passes about the middle of the range: neither a large offset nor extreme
 * values cost digits.
 */
export function momentsOf(values: NumericValues, { min, max, missing }: ValueRange): Moments {
  const scale = safeScale(Math.max(Math.abs(min), Math.abs(max)));
  const present = values.length - missing;
  const middle = (min * scale) / 2 + (max * scale) / 2;
  let sum = 0;
  forEachBlock(values, (block) => {
    sum += sumAbout(block, scale, middle);
  });
  const mean = middle + sum / present;
  let squares = 0;
  forEachBlock(values, (block) => {
    squares += squaresAbout(block, scale, mean);
  });
  return { scale, mean, deviation: Math.sqrt(squares / present) };
}

/** 1 where squares of values up to `largest` are safe, else the power of two that brings it near 1. */
function safeScale(largest: number): number {
  const exponent = Math.floor(Math.log2(largest));
  return Math.abs(exponent) < 400 ? 1 : 2 ** -Math.max(-1000, Math.min(1000, exponent));
}

function sumAbout(block: Float64Array, scale: number, centre: number): number {
  let sum = 0;
  for (let i = 0; i < block.length; i++) {
    const difference = block[i] * scale - centre;
    if (!Number.isNaN(difference)) sum += difference;
  }
  return sum;
}

function squaresAbout(block: Float64Array, scale: number, centre: number): number {
  let sum = 0;
  for (let i = 0; i < block.length; i++) {
    const difference = block[i] * scale - centre;
    if (!Number.isNaN(difference)) sum += difference * difference;
  }
  return sum;
}
