import type { Learner } from "../learners/learner.js";
import type { Run } from "../runtime/run.js";
import { holdout, kFold } from "../table/splits.js";
import type { Labelled } from "../table/target.js";
import type { Evidence, EvidenceKind, SelectionSettings } from "./criterion.js";
import { type Division, divisionInput, divisionTask, type Findings, hasRecipe, tryOut } from "./division.js";

/** Candidates and the rows that they are judged on. */
export interface Case {
  readonly candidates: readonly Learner[];
  readonly data: Labelled;
  readonly settings: SelectionSettings;
  readonly run: Run;
}

/** The divisions of the rows that a kind of evidence comes from. */
function divisionsFor(need: EvidenceKind, { data, settings, run }: Case): Division[] {
  const { labels } = data;
  switch (need) {
    case "training":
      return [{ test: new Int32Array(0), facts: true }];
    case "holdout":
      return [{ test: holdout(labels, settings.holdout, run.seed).test, facts: true }];
    case "folds":
      return kFold(labels, settings.folds, run.seed).folds.map(({ test }) => ({ test, facts: false }));
    case "leaveOneOut":
      return Array.from(labels, (_, row) => ({ test: Int32Array.of(row), facts: false }));
  }
}

/** Gathers the kinds of evidence that are asked for, for every candidate; the others stay empty. */
export async function gatherEvidence(
  needs: readonly EvidenceKind[],
  stage: string,
  work: Case,
): Promise<Evidence[]> {
  const plan = needs.flatMap((need) => divisionsFor(need, work).map((division) => ({ need, division })));
  const findings = await tryAll(
    plan.map(({ division }) => division),
    stage,
    work,
  );
  const found = (need: EvidenceKind) => findings.filter((_, i) => plan[i].need === need);
  return work.candidates.map((_, candidate) => evidenceOf(candidate, found));
}

function evidenceOf(candidate: number, findings: (need: EvidenceKind) => readonly Findings[]): Evidence {
  const trials = (need: EvidenceKind) => findings(need).map((found) => found.trials[candidate]);
  return {
    training: findings("training").map(({ fitted }) => fitted[candidate]),
    holdout: findings("holdout").map(({ fitted, trials }) => ({
      fitted: fitted[candidate],
      trial: trials[candidate],
    })),
    folds: trials("folds"),
    leaveOneOut: trials("leaveOneOut"),
  };
}

/**
 * Fits and tries the candidates in every division. With at least as many divisions as threads each division is a task;
 * otherwise, or where a learner is of the caller's own kind, they come one after the other and learners use the threads
 * themselves. The findings are the same.
 */
async function tryAll(divisions: readonly Division[], stage: string, work: Case): Promise<Findings[]> {
  const { candidates, data, run } = work;
  const { executor, signal } = run;
  const total = divisions.length;
  if (executor.threads > 1 && total >= executor.threads && candidates.every(hasRecipe)) {
    const inputs = divisions.map((division) => divisionInput(candidates, data, division, run.seed));
    return executor.map(divisionTask, inputs, {
      ...(signal && { signal }),
      onProgress: (done, _, note) =>
        run.progress({ stage, done, total, ...(note !== undefined && { note }) }),
    });
  }
  const findings: Findings[] = [];
  for (const division of divisions) {
    const progress: Run["progress"] = (part) =>
      run.progress({ stage, done: findings.length + part.done, total, note: part.stage });
    findings.push(await tryOut(candidates, data, division, { ...run, progress }));
    run.progress({ stage, done: findings.length, total });
  }
  return findings;
}
