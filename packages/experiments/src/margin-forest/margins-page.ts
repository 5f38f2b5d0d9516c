import { formatCount, formatNumber, formatRoundPercent } from "vouch";
import type { z } from "zod";
import { absenceNote } from "../available-sets.js";
import { markdownTable } from "../markdown-table.js";
import type { LayerMargins, marginsSchema } from "./margins-data.js";

/** The points of the curves that are printed; the result itself has all of them. */
const SHOWN_PERCENTS = [1, 5, 10, 25, 50, 75, 90];

const NOTES = `\
These are the out-of-fold margins of the training rows, normalised to [−1, 1], for the model up to each layer. Each line in the lower
part is a point of every layer's cumulative curve: this share of the rows has at most this margin. Theorem 1 favours a large mean and
a small ratio λ = √variance / mean. In a cascade without weights, only the last layer predicts.`;

/** The result as Markdown: one table for each data set and learner. */
export function marginsPage({ sizes, sets, absent }: z.output<typeof marginsSchema>): string {
  return [
    `Layers have 4 forests × ${sizes.trees} trees with ${sizes.folds} folds.`,
    NOTES,
    ...sets.flatMap(({ dataset, rows, learners }) =>
      learners.map(
        ({ name, layers }) =>
          `### ${dataset}, ${name}: ${formatCount(rows, "training row")}\n\n${layersTable(layers)}`,
      ),
    ),
    ...absenceNote(absent),
  ].join("\n\n");
}

function layersTable(layers: readonly LayerMargins[]): string {
  const line = (title: string, cell: (layer: LayerMargins) => string) => [title, ...layers.map(cell)];
  return markdownTable(
    ["", ...layers.map((_, t) => `layer ${t + 1}`)],
    [
      line("α", ({ alpha }) => formatNumber(Number(alpha.toPrecision(3)))),
      line("accuracy out of fold, %", ({ outOfFoldAccuracy }) => (100 * outOfFoldAccuracy).toFixed(2)),
      line("test accuracy, %", ({ testAccuracy }) => (100 * testAccuracy).toFixed(2)),
      line("mean", ({ mean }) => mean.toFixed(4)),
      line("variance", ({ variance }) => variance.toFixed(4)),
      line("λ", ({ ratio }) => ratio?.toFixed(4) ?? "∞"),
      ...SHOWN_PERCENTS.map((percent) =>
        line(`${formatRoundPercent(percent / 100)} at most`, ({ quantiles }) =>
          quantiles[percent].toFixed(4),
        ),
      ),
    ],
  );
}
