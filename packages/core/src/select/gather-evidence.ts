import type { Learner } from "../learners/learner.js";
import type { Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import { leaveOneGroupOut } from "../table/group-splits.js";
import { foldsOf, validationHoldout } from "../table/row-splits.js";
import { rowsExcept } from "../table/splits.js";
import type { Labelled } from "../table/target.js";
import { runTrials } from "../validation/run-trials.js";
import type { TrainTestSplit } from "../validation/trial.js";
import type { Evidence, EvidenceKind, SelectionSettings } from "./criterion.js";

/** Candidates, and the rows to judge them on. */
export interface SelectionWork {
  readonly candidates: readonly Learner[];
  readonly data: Labelled;
  readonly settings: SelectionSettings;
  readonly run: Run;
}

/** Gathers the given kinds of evidence for every candidate; other kinds stay empty. */
export async function gatherEvidence(
  kinds: readonly EvidenceKind[],
  stage: string,
  task: SelectionWork,
): Promise<Evidence[]> {
  const evidence = task.candidates.map(
    (): Evidence => ({ training: [], holdout: [], folds: [], leaveOneOut: [] }),
  );
  for (const kind of kinds) {
    const facts = kind === "training" || kind === "holdout";
    const scores = task.settings.objective.metric === "error" ? 0 : Number.POSITIVE_INFINITY;
    const options = { facts, scores };
    const trials = await runTrials(task.candidates, divisionsFor(kind, task), stage, task.run, options);
    task.candidates.forEach((_, c) => {
      const own = trials.map((division) => division[c]);
      if (!facts) evidence[c] = { ...evidence[c], [kind]: own };
      for (const trial of own) {
        const { fitted } = trial;
        if (!fitted) continue;
        evidence[c] =
          kind === "training"
            ? { ...evidence[c], training: [fitted] }
            : { ...evidence[c], holdout: [{ fitted, trial }] };
      }
    });
  }
  return evidence;
}

/** Divides the rows for a kind of evidence. */
function divisionsFor(kind: EvidenceKind, { data, settings, run }: SelectionWork): TrainTestSplit[] {
  switch (kind) {
    case "training":
      return [{ data, test: new Int32Array(0) }];
    case "holdout":
      return [{ data, ...validationHoldout(data, settings.holdout, run.seed) }];
    case "folds":
      return foldsOf(data, settings.folds, run.seed).folds.map((fold) => ({ data, ...fold }));
    case "leaveOneOut":
      return oneLeftOut(data);
  }
}

/** Leaves out each row, or each group. */
function oneLeftOut(data: Labelled): TrainTestSplit[] {
  const { labels, groups, times } = data;
  if (times) {
    throw new VouchError("option/invalid", "leave-one-out would train on the future of the row left out.", {
      hint: "With a time column, select by cv or holdout.",
    });
  }
  if (groups) return leaveOneGroupOut(groups).map((split) => ({ data, ...split }));
  return Array.from(labels, (_, row) => {
    const test = Int32Array.of(row);
    return { data, train: rowsExcept(test, labels.length), test };
  });
}
