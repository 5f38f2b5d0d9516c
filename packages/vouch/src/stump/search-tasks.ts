import type { TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import { type PreparedFeature, rowsToLookAt } from "./prepared-feature.js";
import { type FoundCut, type Outlook, SplitSearch, TIE, type Weighting } from "./split-search.js";

/** Some features to search, under a weighting. */
export interface SearchPart {
  readonly features: readonly PreparedFeature[];
  readonly weighting: Weighting;
}

/** After so many rows, a few milliseconds, a search can be interrupted. */
const ROWS_BETWEEN_CHECKPOINTS = 1 << 20;

/** Says how good the cuts of each feature can be. */
export const outlookTask = defineTask(
  "stump/outlook",
  async ({ features, weighting }: SearchPart, context: TaskContext): Promise<Outlook[]> => {
    const search = new SplitSearch(weighting);
    const outlooks: Outlook[] = [];
    await forEachFeature(features, context, (prepared) => {
      outlooks.push(search.outlook(prepared));
    });
    return outlooks;
  },
);

/** Finds the best cuts that reach an accuracy: one of each feature that is as good as the best one, ascending. */
export const cutTask = defineTask(
  "stump/cut",
  async (part: SearchPart & { readonly atLeast: number }, context: TaskContext): Promise<FoundCut[]> => {
    const search = new SplitSearch(part.weighting);
    const cuts: FoundCut[] = [];
    let best = part.atLeast;
    await forEachFeature(part.features, context, (prepared) => {
      const cut = search.best(prepared, best);
      if (!cut) return;
      cuts.push(cut);
      best = Math.max(best, cut.accuracy);
    });
    return cuts.filter(({ accuracy }) => accuracy >= best - TIE);
  },
);

async function forEachFeature(
  features: readonly PreparedFeature[],
  context: TaskContext,
  visit: (prepared: PreparedFeature) => void,
): Promise<void> {
  let rows = 0;
  for (const prepared of features) {
    visit(prepared);
    rows += rowsToLookAt(prepared);
    if (rows < ROWS_BETWEEN_CHECKPOINTS) continue;
    rows = 0;
    await context.checkpoint();
  }
}
