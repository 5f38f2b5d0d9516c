import { Random } from "@vouch/core/internal/runtime/maths/random";
import { definePortableTask } from "@vouch/core/internal/runtime/parallel/task";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { groupHoldout } from "@vouch/core/internal/table/group-splits";
import { randomHoldout, type Split, stratifiedHoldout } from "@vouch/core/internal/table/splits";
import type { Table } from "@vouch/core/internal/table/table";
import { timeHoldout } from "@vouch/core/internal/table/time-splits";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { certify } from "@vouch/core/internal/train/certify";
import { trainClassifier } from "@vouch/core/internal/train/train";
import type { Training } from "@vouch/core/internal/train/training";
import { conditionedOnNew, mixture, withClassShares } from "./laws.js";
import {
  type DrawnRows,
  drawRows,
  type Population,
  type PopulationName,
  populations,
} from "./populations.js";
import { type SimulatedLearner, simulatedLearners } from "./simulated-learners.js";
import { costsFor, TrueMeasures } from "./true-measures.js";

/** The risks δ at which certificates are simulated. */
export const DELTAS = [0.05, 0.1, 0.25] as const;

/** Rows of a population, how some are held out, and a learner. */
export interface Setting {
  readonly population: PopulationName;
  readonly learner: SimulatedLearner;
  readonly rows: number;
  readonly holdout: number;
  readonly stratify: boolean;
}

/** Some of the runs of a setting. */
export interface SimulationInput extends Setting {
  readonly seed: number;
  /** The stream of random numbers of the setting. */
  readonly stream: number;
  readonly firstRun: number;
  readonly runs: number;
}

/** How often a certificate failed, at each of `DELTAS`. */
export interface Tally {
  /** Name, with the class if the certificate is about one. */
  readonly certificate: string;
  /** Number of runs in which no premise was reported violated. */
  readonly runs: number[];
  /** Number of these runs in which it was not vacuous. */
  readonly claims: number[];
  /** Number of these runs in which it was false. */
  readonly failures: number[];
}

/** Draws rows, trains and certifies, many times, and counts how often each certificate is false. */
export const simulationTask = definePortableTask(
  "experiments/certificate-coverage",
  async (input: SimulationInput, { checkpoint }): Promise<Tally[]> => {
    const tallies = new Map<string, Tally>();
    for (let run = input.firstRun; run < input.firstRun + input.runs; run++) {
      await checkpoint();
      const random = new Random(input.seed).fork(input.stream).fork(run);
      const drawn = drawRows(populations[input.population], input.rows, random);
      const training = await trainedOn(drawn, input, random.bits());
      if (training) judge(training, drawn, input, tallies);
    }
    return [...tallies.values()];
  },
  import.meta.url,
);

/** Trains like a user who knows how the rows arose; undefined if all training rows have one class. */
export async function trainedOn(
  { table }: DrawnRows,
  setting: Setting,
  seed: number,
): Promise<Training | undefined> {
  const { learner, holdout, stratify } = setting;
  const columns = ["group", "time"].filter((name) => table.has(name)).map((name) => [name, name]);
  try {
    return await trainClassifier(table, simulatedLearners[learner].make(), {
      calibrate: false,
      target: "label",
      holdout,
      ...(stratify && { stratify }),
      ...Object.fromEntries(columns),
      run: { seed },
    });
  } catch (error) {
    if (error instanceof VouchError && error.code === "data/one-class") return undefined;
    throw error;
  }
}

/** Compares all certificates of a training with the truth. */
function judge(
  { classifier, evidence }: Training,
  drawn: DrawnRows,
  setting: Setting,
  tallies: Map<string, Tally>,
): void {
  const population: Population = populations[setting.population];
  const truth = new TrueMeasures(classifier, population);
  const laws = lawsOf(drawn, population, setting, classifier.card.seed);
  const known = classifier.classes.map((name) => population.classes.indexOf(name));
  const { losses } = simulatedLearners[setting.learner];
  // A cost matrix needs all classes of the rows.
  const costs = losses && known.length === population.classes.length && costsFor(known);
  const truths = new Map<string, number | undefined>();
  const truthOf = (certificate: Certificate) => {
    const aboutNewRows =
      certificate.name === "held-out-new-rows" ||
      (evidence?.repeats?.natural === false && certificate.measure !== "error");
    const key = `${certificate.measure} ${certificate.class} ${aboutNewRows}`;
    const law = aboutNewRows ? laws.newRows : laws.all;
    if (!truths.has(key)) truths.set(key, law && truth.of(certificate, law));
    return truths.get(key);
  };
  DELTAS.forEach((delta, d) => {
    const certificates = certify(classifier, {
      confidence: 1 - delta,
      ...(evidence && { heldOut: losses ? evidence : { ...evidence, losses: undefined } }),
      ...(costs && { costs }),
    });
    const failing = certificates.map((certificate) => {
      const value = truthOf(certificate);
      return (bound: number) => value !== undefined && isFalse(certificate, bound, value);
    });
    certificates.forEach((certificate, i) => {
      if (!certificate.holds) return;
      count(tallies, nameOf(certificate), d, certificate.reason === undefined, failing[i](certificate.value));
    });
    const together = certificates.some((certificate, i) => {
      return certificate.together !== undefined && failing[i](certificate.together);
    });
    count(tallies, "all together", d, true, together);
  });
}

/** Allows for rounding in sums of probabilities. */
const ROUNDING = 1e-9;

export function isFalse({ bound }: Certificate, value: number, truth: number): boolean {
  return bound === "lower" ? truth < value - ROUNDING : truth > value + ROUNDING;
}

export function nameOf({ name, class: label }: Certificate): string {
  return label === undefined ? name : `${name} of ${label}`;
}

function count(
  tallies: Map<string, Tally>,
  certificate: string,
  d: number,
  claims: boolean,
  failed: boolean,
): void {
  const zeros = () => DELTAS.map(() => 0);
  const tally = tallies.get(certificate) ?? {
    certificate,
    runs: zeros(),
    claims: zeros(),
    failures: zeros(),
  };
  tallies.set(certificate, tally);
  tally.runs[d]++;
  if (claims) tally.claims[d]++;
  if (failed) tally.failures[d]++;
}

/** The laws that certificates are about. */
interface CertifiedLaws {
  readonly all: Float64Array;
  /** Law of rows that equal no training row; undefined if there are none. */
  readonly newRows: Float64Array | undefined;
}

/**
 * Returns the law that certificates are about: of the population, of a new group, of the test period, or with the class
 * proportions of the data after a stratified hold-out.
 */
function lawsOf(
  { table, lawOf, supportRow }: DrawnRows,
  { laws, shares, sampling, classes }: Population,
  { holdout, stratify }: Setting,
  seed: number,
): CertifiedLaws {
  const labels = codesOf(table, "label");
  const { train, test } = heldOutBy(table, labels, { holdout, stratify }, seed);
  const inTest = laws.map((_, law) => test.reduce((sum, row) => sum + (lawOf[row] === law ? 1 : 0), 0));
  const law = mixture(laws, sampling === "time" ? inTest : shares);
  const ofClass = classes.map((_, c) => labels.filter((label) => label === c).length / labels.length);
  const all = stratify ? withClassShares(law, ofClass) : law;
  const known = new Set(Array.from(train, (row) => supportRow[row]));
  return { all, newRows: conditionedOnNew(all, known, classes.length) };
}

/** Finds the rows that a training with this seed held out. */
export function heldOutBy(
  table: Table,
  labels: Int32Array,
  { holdout, stratify }: Pick<Setting, "holdout" | "stratify">,
  seed: number,
): Split {
  if (table.has("group")) return groupHoldout(codesOf(table, "group"), holdout, seed);
  if (table.has("time")) return timeHoldout(Float64Array.from(codesOf(table, "time")), holdout);
  return stratify ? stratifiedHoldout(labels, holdout, seed) : randomHoldout(labels.length, holdout, seed);
}

/** Returns the codes of categories, or whole numbers unchanged. */
function codesOf(table: Table, name: string): Int32Array {
  const column = table.column(name);
  return column.kind === "categorical" ? column.codes : Int32Array.from(column.values);
}
