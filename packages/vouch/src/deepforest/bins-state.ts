import type { BinnedFeature } from "../data/binned-columns.js";
import { MISSING_BIN } from "../data/binned-columns.js";
import type { Tensor } from "../state/state.js";
import type { StateReader } from "../state/state-reader.js";

const NAMES = ["cuts", "cutCounts"] as const;

/** The cuts of numeric columns as tensors. */
export function binsTensors(features: readonly BinnedFeature[], prefix: string): Record<string, Tensor> {
  const cuts = features.map((feature) => (feature.kind === "numeric" ? feature.cuts : new Float64Array(0)));
  const joined = Float64Array.from(cuts.flatMap((own) => [...own]));
  return {
    [`${prefix}cuts`]: { shape: [joined.length], data: joined },
    [`${prefix}cutCounts`]: { shape: [cuts.length], data: Int32Array.from(cuts, ({ length }) => length) },
  };
}

/** The names of these tensors. */
export function binsTensorNames(prefix: string): string[] {
  return NAMES.map((name) => prefix + name);
}

/** The numeric columns behind these tensors; there are as many as names for them. */
export function readBins(reader: StateReader, prefix: string, names: readonly string[]): BinnedFeature[] {
  const counts = reader.integers(`${prefix}cutCounts`, [names.length], 0, MISSING_BIN - 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const cuts = reader.numbers(`${prefix}cuts`, [total]);
  let at = 0;
  return names.map((name, j): BinnedFeature => {
    const own = cuts.slice(at, at + counts[j]);
    at += counts[j];
    if (own.some((cut, k) => k > 0 && cut <= own[k - 1])) {
      throw reader.corrupt(`the cuts of ${prefix}${name} do not ascend`);
    }
    return { kind: "numeric", name, cuts: own };
  });
}
