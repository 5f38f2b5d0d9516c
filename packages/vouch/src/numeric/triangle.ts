import { PANEL_WIDTH } from "./kernels.js";
import type { Panels } from "./panels.js";

/** A range of panels of rows: begin, and the first after the end. */
export type PanelRange = readonly [begin: number, end: number];

/** One call of a kernel does at most about so many multiplications: a millisecond or two. */
export const WORK_PER_CALL = 2 ** 24;

/** So many parts per thread, of the same work: then no thread waits long for the last one. */
export const PARTS_PER_THREAD = 8;

/** Multiplications in the lower triangle of the first `count` panels. */
export function workUpTo(count: number, { depth, precision }: Panels): number {
  return ((count * (count + 1)) / 2) * PANEL_WIDTH[precision] ** 2 * depth;
}

/** Splits a range into ranges of about so much work each, but at least one panel. */
export function splitByWork(panels: Panels, [begin, end]: PanelRange, work: number): PanelRange[] {
  const ranges: PanelRange[] = [];
  let first = begin;
  for (let next = begin + 1; next <= end; next++) {
    if (next < end && workUpTo(next + 1, panels) - workUpTo(first, panels) <= work) continue;
    ranges.push([first, next]);
    first = next;
  }
  return ranges;
}
