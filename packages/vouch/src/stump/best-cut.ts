import type { Run } from "../learning/run.js";
import { type PreparedFeature, rowsToLookAt } from "./prepared-feature.js";
import { cutTask, outlookTask } from "./search-tasks.js";
import { onSharedMemory, sharingExecutor } from "./sharing.js";
import { type FoundCut, MARGIN, TIE, type Weighting } from "./split-search.js";

/** Milliseconds to look at a row of a feature, roughly; only for estimates of time. */
const MILLISECONDS_PER_ROW = 1.3e-6;

/** A search of fewer milliseconds is done in one part. */
const WORTH_DIVIDING = 2;

/** So many parts per thread: then no thread waits long for the last one. */
const PARTS_PER_THREAD = 2;

/**
 * The first of the best cuts of all features, on the threads of the run where that pays; nothing if none is better
 * than `constant`. First every feature says how good it can be; few are left to be searched after that.
 */
export async function bestCut(
  features: readonly PreparedFeature[],
  weighting: Weighting,
  constant: number,
  run: Run,
): Promise<FoundCut | undefined> {
  const executor = sharingExecutor(run);
  const search = divide(features, executor.threads);
  const weights = search.parts.length > 1 ? onSharedMemory(weighting.weights) : weighting.weights;
  const shared = { ...weighting, weights };
  const { signal } = run;
  const outlooks = await executor.map(
    outlookTask,
    search.parts.map((part) => ({ features: part, weighting: shared })),
    { signal, milliseconds: search.milliseconds },
  );
  const outlookOf = outlooks.flat();
  const atLeast = outlookOf.reduce((most, { accuracy }) => Math.max(most, accuracy), constant);
  const promising = features.filter((_, f) => outlookOf[f].bound >= atLeast - MARGIN);
  const rest = divide(promising, executor.threads);
  const found = await executor.map(
    cutTask,
    rest.parts.map((part) => ({ features: part, weighting: shared, atLeast })),
    { signal, milliseconds: rest.milliseconds },
  );
  const cuts = found.flat();
  const best = cuts.reduce((most, { accuracy }) => Math.max(most, accuracy), constant);
  return constant >= best - TIE ? undefined : cuts.find(({ accuracy }) => accuracy >= best - TIE);
}

interface Division {
  readonly parts: readonly (readonly PreparedFeature[])[];
  /** An estimate of the work on all of them. */
  readonly milliseconds: number;
}

/** Divides features into parts of about the same work, as many as threads have a use for. */
function divide(features: readonly PreparedFeature[], threads: number): Division {
  const total = features.reduce((sum, prepared) => sum + rowsToLookAt(prepared), 0);
  const milliseconds = total * MILLISECONDS_PER_ROW;
  const count = threads > 1 && milliseconds >= WORTH_DIVIDING ? threads * PARTS_PER_THREAD : 1;
  const parts: PreparedFeature[][] = Array.from({ length: count }, () => []);
  let rows = 0;
  for (const prepared of features) {
    parts[Math.min(count - 1, Math.floor((count * rows) / total))].push(prepared);
    rows += rowsToLookAt(prepared);
  }
  return { parts: parts.filter((part) => part.length > 0), milliseconds };
}
