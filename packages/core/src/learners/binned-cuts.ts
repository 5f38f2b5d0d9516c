import type { BinnedFeature } from "../encode/binned-columns.js";
import { MISSING_BIN } from "../encode/binned-columns.js";
import { converted, object, type Part } from "../runtime/codec/parts.js";
import { float64, int32 } from "../runtime/codec/tensor-parts.js";

/** Makes the codec of numeric binned features: the cut points of each. `count` names their number, `namesOf` them. */
export function binnedCuts(
  count: string,
  namesOf: (count: number) => readonly string[],
): Part<readonly BinnedFeature[]> {
  return converted(
    object({ counts: int32([count], { min: 0, max: MISSING_BIN - 1 }), cuts: float64([`${count}:cuts`]) }),
    (features: readonly BinnedFeature[]) => {
      const cuts = features.map((feature) =>
        feature.kind === "numeric" ? feature.cuts : new Float64Array(0),
      );
      return {
        counts: Int32Array.from(cuts, ({ length }) => length),
        cuts: Float64Array.from(cuts.flatMap((own) => [...own])),
      };
    },
    ({ counts, cuts }) => {
      let end = 0;
      const all = Array.from(counts, (own) => {
        end += own;
        return cuts.slice(end - own, end);
      });
      if (end !== cuts.length) return `it has ${cuts.length} cut points and not ${end}`;
      const ascend = all.every((own) => own.every((cut, k) => k === 0 || cut > own[k - 1]));
      if (!ascend) return "cut points do not ascend";
      return namesOf(all.length).map((name, k) => ({ kind: "numeric" as const, name, cuts: all[k] }));
    },
  );
}
