import { JointFeatures } from "../../encode/joint-features.js";
import { type Features, Sample } from "../../encode/sample.js";
import type { PartsOf } from "../../runtime/codec/parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { seedAt } from "../../runtime/maths/random.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { kFold, type Split } from "../../table/splits.js";
import type { Model } from "../model.js";
import { choosePool, lossesOf, type OutOfFoldMembers, type PoolMetric } from "./choose-pool.js";
import type { EnsemblePlan, MemberEvidence } from "./ensemble-options.js";
import { type EnsembleMember, type ensembleParts, partAt } from "./ensemble-parts.js";
import { type MemberSample, scoreOutOfFold } from "./fit-folds.js";
import { type Pool, pooledProbabilities, poolWithout } from "./pool.js";
import { fitTemperature, probabilitiesOf } from "./temperature.js";

type Parts = PartsOf<typeof ensembleParts>;

/** The pool of all members of a plan, and what is known about them. */
interface Selection extends Pick<Parts, "outOfFold" | "outOfFoldScores" | "warnings"> {
  readonly pool: Pool;
  readonly temperatures: readonly number[];
  readonly evidence: readonly (MemberEvidence | undefined)[];
}

/** Selects the weights of the members, unless they are given, and fits each member that has one to all rows. */
export async function fitEnsemble(sample: Sample<Features>, plan: EnsemblePlan, run: Run): Promise<Parts> {
  const samples = samplesByEncoding(sample, plan);
  const members = plan.members.map(({ learner, place }) => ({
    learner,
    sample: samples[Math.min(place, samples.length - 1)],
  }));
  const { pool, temperatures, evidence, ...known } = plan.weighted
    ? givenSelection(plan, sample.classes.length)
    : await selectMembers(members, plan, run);
  const used = plan.members.map((member, m) => ({ ...member, m })).filter(({ m }) => pool.weights[m] > 0);
  const fitted: EnsembleMember[] = [];
  for (const { learner, settings, place, m } of used) {
    await checkpoint(run);
    const model = await fitMember(members[m], run, { done: fitted.length, total: used.length });
    const own = evidence[m];
    fitted.push({
      model,
      settings,
      weight: pool.weights[m],
      temperature: model.scoring === "decision" ? temperatures[m] : 1,
      place: Math.min(place, samples.length - 1),
      ...(own && { evidence: own }),
    });
    run.progress({ stage: learner.name, done: fitted.length, total: used.length });
  }
  return {
    combine: pool.combine,
    metric: plan.metric,
    widths: samples.map(({ features }) => features.columns),
    members: fitted,
    offsets: [...pool.offsets],
    ...known,
  };
}

/** Returns the rows in each encoding. Rows that a program has encoded in one way are for all members. */
function samplesByEncoding(sample: Sample<Features>, { encodings }: EnsemblePlan): Sample<Features>[] {
  const { features, labels, classes, weights, featureNames } = sample;
  if (!(features instanceof JointFeatures)) return [sample];
  return encodings.map((_, place) => {
    const part = partAt(features, place, encodings.length);
    const start = features.starts[place];
    return new Sample<Features>({
      features: part,
      labels,
      classes,
      weights,
      featureNames: featureNames.slice(start, start + part.columns),
    });
  });
}

function givenSelection({ members, combine, offsets }: EnsemblePlan, classes: number): Selection {
  const kind = combine === "log-linear" || offsets.length > 0 ? "log-linear" : "average";
  if (offsets.length > 0 && offsets.length !== classes) {
    throw new VouchError(
      "option/invalid",
      `Option offsets of ensemble has ${offsets.length} numbers, but there are ${classes} classes.`,
    );
  }
  const weights = Float64Array.from(members, ({ weight = 0 }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    pool:
      kind === "average"
        ? { combine: kind, weights: weights.map((weight) => weight / total), offsets: new Float64Array(0) }
        : {
            combine: kind,
            weights,
            offsets: Float64Array.from({ length: classes }, (_, k) => offsets[k] ?? 0),
          },
    temperatures: members.map(({ temperature = 1 }) => temperature),
    evidence: members.map(({ evidence }) => evidence),
    warnings: [],
  };
}

/** Selects weights by the predictions of rows that the members did not see. */
async function selectMembers(
  members: readonly MemberSample[],
  plan: EnsemblePlan,
  run: Run,
): Promise<Selection> {
  const [{ sample }] = members;
  const { labels, classes, weights } = sample;
  const folds = foldsOf(labels, plan.folds, run.seed);
  if (folds.length === 0) return equalSelection(plan);
  const scored = await scoreOutOfFold(members, folds, run);
  const temperatures = scored.map(({ scores, scoring }, m) =>
    scoring === "decision"
      ? (plan.members[m].temperature ?? fitTemperature(scores.values, labels, classes.length, weights))
      : 1,
  );
  const outOfFold: OutOfFoldMembers = {
    probabilities: scored.map(({ scores, scoring }, m) => probabilitiesOf(scores, scoring, temperatures[m])),
    labels,
    classes: classes.length,
    weights,
    foldOf: foldOfRows(folds, labels.length),
  };
  const { outOfFold: probabilities, ...pool } = await choosePool(outOfFold, plan, run);
  return {
    pool,
    outOfFoldScores: new Matrix(labels.length, classes.length, probabilities),
    temperatures,
    evidence: evidenceOf(outOfFold, pool, plan.metric),
    outOfFold: { rows: labels.length, folds: folds.length, ...lossesOf(probabilities, outOfFold) },
    warnings: [],
  };
}

/** Makes folds whose training rows have at least two classes; none if a class with two rows is missing. */
function foldsOf(labels: Int32Array, most: number, seed: number): readonly Split[] {
  const counts = new Map<number, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [, second] = [...counts.values()].sort((a, b) => b - a);
  const count = Math.min(most, second);
  // The learners' own random numbers start from the same seed.
  return count < 2 ? [] : kFold(labels, count, seedAt(seed, 0)).folds;
}

function foldOfRows(folds: readonly Split[], rows: number): Int32Array {
  const foldOf = new Int32Array(rows);
  for (const [fold, { test }] of folds.entries()) for (const row of test) foldOf[row] = fold;
  return foldOf;
}

function equalSelection({ members, combine }: EnsemblePlan): Selection {
  const weights = new Float64Array(members.length).fill(1 / members.length);
  return {
    pool: { combine: "average", weights, offsets: new Float64Array(0) },
    temperatures: members.map(({ temperature = 1 }) => temperature),
    evidence: members.map(() => undefined),
    warnings: [
      `All members have the same weight, and probabilities are averaged${combine === "log-linear" ? " instead of combined log-linearly" : ""}: ` +
        "only one class has two rows, so there are no folds to select weights in.",
    ],
  };
}

/** Measures each member alone, and the ensemble without it. */
function evidenceOf(members: OutOfFoldMembers, pool: Pool, metric: PoolMetric): MemberEvidence[] {
  const { probabilities, classes } = members;
  const lossOf = (given: Float64Array) => {
    const { error, logLoss } = lossesOf(given, members);
    return metric === "error" ? error : logLoss;
  };
  const whole = lossOf(pooledProbabilities(pool, probabilities, classes));
  return probabilities.map((own, m) => {
    const others = poolWithout(pool, m);
    return {
      error: lossOf(own),
      ...(others && { adds: lossOf(pooledProbabilities(others, probabilities, classes)) - whole }),
    };
  });
}

/** Fits one member to all rows. */
async function fitMember(
  { learner, sample }: MemberSample,
  run: Run,
  { done, total }: { readonly done: number; readonly total: number },
): Promise<Model> {
  const progress: Run["progress"] = (part) =>
    run.progress({
      stage: learner.name,
      done: done + (part.total ? Math.min(1, part.done / part.total) : 0),
      total,
    });
  return await learner.fit(sample, { ...run, progress });
}
