import { stratifiedSubsample } from "./splits.js";
import { type Labelled, selectRows } from "./target.js";

/** Limits rows to a stratified subsample of at most this many. */
export function subsampled(data: Labelled, most: number, seed: number): Labelled {
  const { labels } = data;
  if (labels.length <= most) return data;
  const all = new Int32Array(labels.length);
  for (let row = 0; row < all.length; row++) all[row] = row;
  return selectRows(data, stratifiedSubsample(all, labels, most, seed));
}
