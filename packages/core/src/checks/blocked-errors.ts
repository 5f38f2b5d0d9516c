import { trainingSampleInSteps } from "../encode/encoder.js";
import { fitEncoderInSteps } from "../encode/fit-encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import { createLearner } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import { classifyRows } from "../learners/score-rows.js";
import { sumsByGroup } from "../metrics/groups.js";
import { Random, seedAt } from "../runtime/maths/random.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { inlineExecutor } from "../runtime/parallel/inline.js";
import { runOnThreads } from "../runtime/parallel/pausable.js";
import { checkpoint, type Run } from "../runtime/parallel/run.js";
import { holdsProseOrDates } from "../table/column-content.js";
import { groupFolds } from "../table/group-splits.js";
import { type Split, testingPart } from "../table/splits.js";
import { classCounts, type Labelled, selectRows } from "../table/target.js";
import { exactSignTest } from "../theory/held-out/exact-tests.js";
import { studentTail } from "../theory/test-tails.js";
import { type BlockCandidate, blockCandidates, LEAST_BLOCKS } from "./block-candidates.js";

/** Risk of naming any column of a file although none is informative about the rows. */
const FALSE_ALARM = 0.001;
/** Risk of naming a column by chance if only few of its blocks differ. */
const ODD_BLOCKS = 0.05;

/**
 * An error that is larger by this much, and by this factor, is material; so is an error that is larger by
 * `MUCH_LARGER`.
 */
const LARGER = 0.05;
const FACTOR = 1.5;
const MUCH_LARGER = 0.1;

/** Number of paired tests of a column, and of folds in each. */
const REPETITIONS = 3;
const FOLDS = 4;

/** The forest, and the maximum rows and cells for it; fewer rows than the minimum show nothing. */
const FOREST = { trees: 30, outOfBag: false };
/**
 * The forest of the first look, in a third of the time. A column whose blocks add less than this to its error is
 * rejected.
 */
const FIRST_FOREST = { ...FOREST, trees: 10 };
const SCREEN = 0.02;
const MOST_ROWS = 1000;
const MOST_CELLS = 2 ** 16;
const LEAST_ROWS = 60;
const LEAST_ROWS_PER_CLASS = 10;
/** Number of blocks to sample rows from, if available. */
const ENOUGH_BLOCKS = 20;

/** A column whose equal values, or near times, mark similar rows. */
export interface BlockedError {
  readonly column: string;
  readonly kind: "group" | "time";
  /** Error of a quick forest on random rows. */
  readonly random: number;
  /** Error of the same forest on rows of other values, or of another time. */
  readonly blocked: number;
  /** Probability of at least as clear a difference if the column were uninformative about the rows. */
  readonly p: number;
}

/**
 * Finds columns whose equal values mark similar rows, such as rows of one patient, and dates near which rows are
 * similar. Held-out rows drawn at random then have near relatives among the training rows, so that their error says
 * nothing about new patients, or about the future.
 *
 * A small forest is tested twice on the same rows, in folds of equal size. In the first test, the folds consist of
 * whole blocks, that is of all rows of some values, or of a quarter of the time. The second test shuffles the values
 * first. If the column were uninformative, both divisions would be random draws of the same kind, and a row that only
 * one of them gets wrong would be wrong in either with probability ½. A column is named if
 *
 * - the exact sign test over these rows rejects that at 0.001 divided by the number of columns tried;
 * - Student's test over the blocks rejects at 0.05 that a block has no more errors on average, because rows of a block
 *   are similar and may all be wrong for the same reason;
 * - the error is larger by 5 points and by half, or by 10 points. An error above the most common class's counts
 *   as that error: a forest that learns the class shares of the other blocks gets more than chance wrong if shares
 *   vary.
 *
 * The grouping column is not a feature of the forest, because a category with its own class rate is an ordinary
 * feature. A date is: between the days before and after, a forest reads the class of a day off the calendar, which
 * fails in the future.
 *
 * Takes no time without candidates; see `blockCandidates`. The split already respects groups or times named by the
 * user.
 */
export async function blockedErrors(data: Labelled, run: Run): Promise<BlockedError[]> {
  if (data.groups || data.times) return [];
  const candidates = blockCandidates(data);
  const found: BlockedError[] = [];
  for (const candidate of candidates) {
    const error = await blockedError(data, candidate, run);
    if (error && error.p <= FALSE_ALARM / candidates.length) found.push(error);
  }
  return found;
}

/** Compares the errors for one column; undefined if the column adds nothing material or there are too few rows. */
async function blockedError(
  data: Labelled,
  candidate: BlockCandidate,
  given: Run,
): Promise<BlockedError | undefined> {
  // For this few rows, computing here is faster than sending them to other threads or machines.
  const run = { ...given, executor: inlineExecutor() };
  const sample = sampleBlocks(data, candidate);
  if (!sample) return undefined;
  const { rows, blocks } = sample;
  const learner = await createLearner("forest", FOREST);
  // Bins do not depend on the classes, so all folds share them, and dates are read once.
  const encoder = await runOnThreads(fitEncoderInSteps(rows.features, rows, learner.encoding), run);
  const encoded = await runOnThreads(trainingSampleInSteps(encoder, rows), run);
  const test = async (learner: Learner, seed: number): Promise<PairedMistakes> => {
    const own = { ...run, seed, progress: () => {} };
    const foldsOf = (blocks: Int32Array) =>
      candidate.kind === "group" ? groupFolds(blocks, rows.labels, FOLDS, seed).folds : stretches(blocks);
    const shuffled = new Random(seed).shuffle(blocks.slice());
    return {
      blocked: await mistakesIn(foldsOf(blocks), learner, encoded, own),
      random: await mistakesIn(foldsOf(shuffled), learner, encoded, own),
    };
  };
  const first = await createLearner("forest", FIRST_FOREST);
  if (excessOf([await test(first, seedAt(0, REPETITIONS))], rows) < SCREEN) return undefined;
  const pairs: PairedMistakes[] = [];
  for (let i = 0; i < REPETITIONS; i++) pairs.push(await test(learner, seedAt(0, i)));
  const { column, kind } = candidate;
  const [random, blocked] = [computeError(pairs, "random"), computeError(pairs, "blocked")];
  const excess = excessOf(pairs, rows);
  const isMaterial = excess >= MUCH_LARGER || (excess >= LARGER && excess >= (FACTOR - 1) * random);
  if (!isMaterial || blockTest(pairs, blocks) > ODD_BLOCKS) return undefined;
  return { column, kind, random, blocked, p: rowTest(pairs) };
}

/** Mistakes on the same rows, 1 or 0 each, if blocks are held out and if random rows are. */
interface PairedMistakes {
  readonly blocked: Uint8Array;
  readonly random: Uint8Array;
}

/** Rows of whole blocks, or of parts of the largest ones, without the column that defines them. */
interface SampledBlocks {
  readonly rows: Labelled;
  readonly blocks: Int32Array;
}

/** Takes rows of random blocks until there are enough. Drops free text, whose words are many columns. */
function sampleBlocks(data: Labelled, { column, kind, blocks }: BlockCandidate): SampledBlocks | undefined {
  const left = data.features.columns.filter((own) => holdsProseOrDates(own) && own.holds.kind === "text");
  const names = left.map(({ name }) => name);
  if (kind === "group" && data.features.has(column)) names.push(column);
  const features = data.features.without(names);
  if (features.columns.length === 0) return undefined;
  const most = Math.min(MOST_ROWS, MOST_CELLS / features.columns.length);
  if (most < LEAST_ROWS_PER_CLASS * data.classes.length) return undefined;
  const rowsOf = new Map<number, number[]>();
  blocks.forEach((block, row) => {
    if (block < 0) return;
    const own = rowsOf.get(block);
    if (own) own.push(row);
    else rowsOf.set(block, [row]);
  });
  const random = new Random(0);
  const sampled: number[] = [];
  for (const block of random.shuffle([...rowsOf.keys()])) {
    const own = rowsOf.get(block) ?? [];
    sampled.push(...random.shuffle(own).slice(0, most / Math.min(ENOUGH_BLOCKS, rowsOf.size)));
    if (sampled.length >= most) break;
  }
  const chosen = Int32Array.from(sampled).sort();
  const rows = { ...selectRows({ ...data, features }, chosen), classWeights: undefined };
  const own = chosen.map((row) => blocks[row]);
  const isEnough = chosen.length >= LEAST_ROWS && new Set(own).size >= LEAST_BLOCKS;
  return isEnough && new Set(rows.labels).size > 1 ? { rows, blocks: own } : undefined;
}

/** Makes folds of consecutive blocks. */
function stretches(blocks: Int32Array): readonly Split[] {
  const present = [...new Set(blocks)].sort((a, b) => a - b);
  const foldOf = new Map(present.map((block, i) => [block, Math.floor((i * FOLDS) / present.length)]));
  const part = blocks.map((block) => foldOf.get(block) ?? 0);
  return Array.from({ length: FOLDS }, (_, fold) => testingPart(part, fold));
}

/** Marks the rows that a model of the other folds gets wrong. */
async function mistakesIn(
  folds: readonly Split[],
  learner: Learner,
  rows: Sample<Features>,
  run: Run,
): Promise<Uint8Array> {
  const mistakes = new Uint8Array(rows.rows);
  for (const { train, test } of folds) {
    await checkpoint(run);
    const training = rows.select(train);
    const [first] = training.labels;
    // Other blocks may all belong to one class, which no learner can be fitted to.
    const predictions = training.labels.every((label) => label === first)
      ? new Int32Array(test.length).fill(first)
      : (await classifyRows(await learner.fit(training, run), rows.select(test).features, run)).predictions;
    test.forEach((row, i) => {
      mistakes[row] = Number(predictions[i] !== rows.labels[row]);
    });
  }
  return mistakes;
}

function computeError(pairs: readonly PairedMistakes[], arm: keyof PairedMistakes): number {
  return mean(pairs.map((pair) => mean(pair[arm])));
}

/** Returns the excess of the error in blocks, capped at the error of the most common class. */
function excessOf(pairs: readonly PairedMistakes[], { labels, classes }: Labelled): number {
  const baseline = 1 - Math.max(...classCounts(labels, classes.length)) / labels.length;
  return Math.min(computeError(pairs, "blocked"), baseline) - computeError(pairs, "random");
}

/**
 * Computes the p-value of the sign test over rows that only one of two tests gets wrong; averages repetitions of a row.
 */
function rowTest(pairs: readonly PairedMistakes[]): number {
  let [more, fewer] = [0, 0];
  for (const { blocked, random } of pairs) {
    for (let row = 0; row < blocked.length; row++) {
      if (blocked[row] > random[row]) more++;
      else if (blocked[row] < random[row]) fewer++;
    }
  }
  return exactSignTest(Math.floor(more / pairs.length), Math.ceil(fewer / pairs.length));
}

/** Computes the p-value of Student's one-sided test that a block has no more errors on average. */
function blockTest(pairs: readonly PairedMistakes[], blocks: Int32Array): number {
  const differences = Float64Array.from(blocks, (_, row) =>
    mean(pairs.map(({ blocked, random }) => blocked[row] - random[row])),
  );
  const sums = sumsByGroup(differences, blocks);
  // Whole numbers of errors vary at least as much as rounding does (Sheppard's correction).
  const deviation = Math.max(standardDeviation(sums), 1 / Math.sqrt(12));
  return studentTail((mean(sums) * Math.sqrt(sums.length)) / deviation, sums.length - 1);
}
