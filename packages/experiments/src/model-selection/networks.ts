import { Random } from "@vouch/core/internal/runtime/maths/random";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatNumber, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { labelled } from "@vouch/core/internal/table/target";
import { binomialInterval } from "@vouch/core/internal/theory/held-out/binomial-interval";
import { layeredParameters } from "@vouch/core/internal/theory/networks/network-vc-dimension";
import { loadDataset } from "@vouch/datasets";
import * as z from "zod";
import { CONFIDENCE } from "../confidence-interval.js";
import { defineExperiment, type ExperimentRun, partOf, partsOf, type Scale } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { papers } from "../papers.js";
import { fiveNumbers } from "../text-figure.js";
import { best, choiceCounts, choiceFigure, type Method, methodsOf } from "./choice-figure.js";
import {
  divisionNames,
  divisionSchema,
  type NetworkTrial,
  type NetworkTrialSizes,
  networkCriteria,
  networkTrial,
  networkTrialSchema,
  networkTruth,
  truthSchema,
  tryArchitectures,
} from "./network-trial.js";
import { ARCHITECTURES, type Architecture, digitPair } from "./oracle-network.js";
import { NETWORK_ORDER, orderOfCriteria } from "./order-of-criteria.js";
import { table52 } from "./table-5-2.js";

/** The size of the experiment. */
interface Sizes extends NetworkTrialSizes {
  readonly problems: number;
}

/**
 * The thesis uses 40 problems although there are 45 pairs, and 30 epochs of pre-training; it does not state the epochs
 * of training.
 */
const SIZES: Readonly<Record<Scale, Sizes>> = {
  quick: { problems: 4, rows: 600, folds: 5, pretrainEpochs: 8, epochs: 15 },
  paper: { problems: 40, rows: 20_000, folds: 10, pretrainEpochs: 30, epochs: 30 },
};

const dataSchema = z.strictObject({
  sizes: z.strictObject({
    problems: z.int(),
    rows: z.int(),
    folds: z.int(),
    pretrainEpochs: z.int(),
    epochs: z.int(),
  }),
  trials: z.array(networkTrialSchema).min(1),
});

/** The oracle experiment for networks. */
export const oracleNetworks = defineExperiment({
  name: "model-selection/networks",
  paper: papers.thesis.citation,
  shows:
    "Figure 5.2 and Tables 5.2 and 5.3: networks whose true architecture is known, on pairs of MNIST digits; how good and how large an architecture each criterion chooses.",
  cost: {
    quick: "4 pairs of digits, 600 training rows, 5 folds, needs mnist: about a minute",
    paper:
      "40 pairs of digits, all 12,000 training rows, 10 folds, as in the thesis: about 5.5 hours of processor time; --resume FILE keeps finished parts, and run-parts.mjs computes them side by side",
  },
  data: dataSchema,
  async measure(run) {
    const sizes = SIZES[run.scale];
    return { sizes, trials: await networkTrials(sizes, run) };
  },
  tables: ({ sizes, trials }) =>
    [
      introduction(sizes, trials),
      figure52(trials),
      orderOfCriteria(NETWORK_ORDER, methods, trials),
      table53(trials),
      chosenArchitectures(trials),
      table52(),
    ].join("\n\n"),
  partsIn({ sizes, trials }, { scale }) {
    // Trials of other sizes are not parts of this experiment.
    if (JSON.stringify(sizes) !== JSON.stringify(SIZES[scale])) return new Map();
    return new Map(trials.map((trial) => [nameOf(trial.digits), trial]));
  },
});

/** One of the problems: a pair of digits, and the names of its parts. */
interface Problem {
  readonly digits: readonly [number, number];
  /** Name of the part that an earlier result contains in place of all others. */
  readonly name: string;
  readonly truth: string;
  /** In the order of `divisionNames`. */
  readonly divisions: readonly string[];
}

/**
 * Solves the problems of pairs of digits in random order, except problems in an earlier result. A run that computes
 * nothing shows the problems whose parts are all finished.
 */
async function networkTrials(sizes: Sizes, run: ExperimentRun): Promise<NetworkTrial[]> {
  const { partial, finishedOnly } = run;
  const has = (part: string) => partial?.get(part) !== undefined;
  const isFinished = ({ name, truth, divisions }: Problem) => has(name) || [truth, ...divisions].every(has);
  const problems = problemsOf(sizes, run.seed).filter((problem) => !finishedOnly || isFinished(problem));
  const open = problems.filter(({ name }) => !has(name));
  const solved = open.length === 0 ? [] : await solve(open, sizes, run);
  const trialOf = (problem: Problem) =>
    solved[open.indexOf(problem)] ??
    partOf(run, problem.name, networkTrialSchema, () => unknownPart(problem.name));
  return Promise.all(problems.map(trialOf));
}

/** Solves problems: first the true networks, then all splits of the rows, each a part that one process computes. */
async function solve(
  problems: readonly Problem[],
  sizes: Sizes,
  run: ExperimentRun,
): Promise<NetworkTrial[]> {
  const pairOf = digitPairs(sizes, run);
  const truths = await partsOf(
    run,
    problems.map(({ truth }) => truth),
    truthSchema,
    async (part, k) => {
      const { digits } = problems[k];
      return networkTruth(
        await pairOf(digits),
        sizes,
        randomOf(digits, run).fork(TRUTH),
        stagesOf(run, part),
      );
    },
  );
  const divisions = problems.flatMap(({ digits, divisions }, k) =>
    divisions.map((part, division) => ({ part, digits, division, truth: truths[k] })),
  );
  const results = await partsOf(
    run,
    divisions.map(({ part }) => part),
    divisionSchema,
    async (part, i) => {
      const { digits, truth, division } = divisions[i];
      return tryArchitectures(await pairOf(digits), truth, division, sizes, stagesOf(run, part));
    },
  );
  return problems.map((problem, k) => {
    const own = results.filter((_, i) => problem.divisions.includes(divisions[i].part));
    return networkTrial(problem, truths[k], own);
  });
}

/** The random stream of a true network within its pair of digits. */
const TRUTH = 1;

function randomOf([first, second]: readonly [number, number], { seed }: ExperimentRun): Random {
  return new Random(seed).fork(10 * first + second);
}

function problemsOf({ problems, folds }: Sizes, seed: number): Problem[] {
  return pairsOfDigits(new Random(seed))
    .slice(0, problems)
    .map((digits) => {
      const name = nameOf(digits);
      const divisions = divisionNames(folds).map((division) => `${name}, ${division}`);
      return { digits, name, truth: `${name}, truth`, divisions };
    });
}

function nameOf(digits: readonly number[]): string {
  return `digits ${digits.join(" and ")}`;
}

/** Returns a function that creates the problem of a pair of digits; its first call loads the images. */
function digitPairs({ rows }: Sizes, run: ExperimentRun) {
  const load = async () => {
    const { train, test, entry } = await loadDataset("mnist", run.signal ? { signal: run.signal } : {});
    if (!test) throw new TypeError("mnist has an official test part.");
    return [labelled(train, entry.target), labelled(test, entry.target)] as const;
  };
  let images: ReturnType<typeof load> | undefined;
  return async (digits: readonly [number, number]) => {
    images ??= load();
    const [training, testing] = await images;
    return digitPair(training, testing, digits, rows, randomOf(digits, run));
  };
}

/** Names the part in reports of progress. */
function stagesOf(run: ExperimentRun, part: string): ExperimentRun {
  return {
    ...run,
    progress: (report) => run.progress({ ...report, stage: `${part}: ${report.stage}` }),
  };
}

function unknownPart(part: string): never {
  throw new TypeError(`There is no part ${part}.`);
}

/** Returns all 45 pairs in random order. */
function pairsOfDigits(random: Random): (readonly [number, number])[] {
  const codes = Array.from({ length: 100 }, (_, code) => code).filter((code) => code % 10 > code / 10);
  return random.shuffle(codes).map((code) => [Math.floor(code / 10), code % 10] as const);
}

const methods = methodsOf(networkCriteria);

/** Remark on results with fewer problems or rows than the thesis. */
const FEWER =
  "The thesis has 40 problems and all rows of both digits; with fewer, intervals are wide and the order of the criteria is largely chance.";

function introduction(
  { rows: most, folds, pretrainEpochs, epochs }: Sizes,
  trials: readonly NetworkTrial[],
): string {
  const meanOf = (of: (trial: NetworkTrial) => number) => mean(trials.map(of));
  const rows = formatNumber(Math.round(meanOf(({ trainingRows }) => trainingRows)));
  const testRows = formatNumber(Math.round(meanOf(({ testRows }) => testRows)));
  const easy = trials.filter(({ realError }) => realError < 0.05).length;
  return [
    `There are ${trials.length} problems as in §5.1.1, each a pair of digits with ${rows} training rows and ${testRows} test rows on average. A network with`,
    `one hidden layer of 80, 100 or 120 units, optionally followed by one of 8, 10 or 12, is pre-trained (${pretrainEpochs} epochs) and trained (${epochs} epochs)`,
    `to tell the digits apart. Its predictions then become the labels of all rows. Its error on the real digits is ${fractionCell(meanOf(({ realError }) => realError))} on`,
    `average, and below 5% in ${easy} problems. All twelve architectures are candidates, trained in the same way; cross-validation has ${folds}`,
    `folds. On the new labels of the test rows, the smallest error of a candidate is ${fractionCell(meanOf(({ errors }) => Math.min(...errors)))} on average, the largest ${fractionCell(meanOf(({ errors }) => Math.max(...errors)))}.`,
    ...(trials.length < SIZES.paper.problems || most < SIZES.paper.rows ? [FEWER] : []),
  ].join("\n");
}

function figure52(trials: readonly NetworkTrial[]): string {
  const reading =
    "0 is the best of the twelve architectures and 100 the worst, by the error on the test rows. SRM uses the VC dimension behind Table 5.2.";
  return choiceFigure("Figure 5.2", reading, methods, trials);
}

/** Computes W of an architecture on all pixels. */
function parametersOf([first, second]: Architecture): number {
  const one = layeredParameters([784, first, 1]);
  return second === undefined ? one : one - (first + 1) + second * (first + 1) + second + 1;
}

/** Table 5.3 as printed. */
const PRINTED: Readonly<Record<string, readonly number[]>> = {
  best: [19, 6, 15],
  "adjusted SRM, C = 2⁻⁹": [16, 6, 18],
  CV: [21, 8, 11],
  "layer-by-layer R.": [23, 7, 10],
};

const PRINTED_PROBLEMS = 40;

function table53(trials: readonly NetworkTrial[]): string {
  const sizes = ARCHITECTURES.map(parametersOf);
  const rows = [best, ...methods].map(({ name, choiceIn }) => {
    const signs = trials.map((trial) => Math.sign(sizes[choiceIn(trial)] - sizes[trial.truth]));
    const counts = [-1, 0, 1].map((sign) => signs.filter((other) => other === sign).length);
    return [
      name,
      ...counts.map((count) => `${count} (${shareInterval(count, trials.length)})`),
      ...[0, 1, 2].map((k) => printedCell(PRINTED[name]?.[k], counts[k], trials.length)),
    ];
  });
  return [
    "### Table 5.3: size of the choice compared with the true network",
    "Size is the number of parameters, which orders the architectures like any bound on their VC dimension. `best` has the smallest error. In parentheses: 95% interval of the share, exact (Clopper and Pearson). The last columns are the shares of the thesis, of 40 problems; * marks those outside of our interval.",
    markdownTable(
      [
        "chosen by",
        "smaller",
        "the same",
        "larger",
        ...["smaller", "the same", "larger"].map((size) => `${size}, printed`),
      ],
      rows,
    ),
  ].join("\n\n");
}

function shareInterval(count: number, of: number): string {
  const [low, high] = shareBounds(count, of);
  return `${formatRoundPercent(low)} to ${formatRoundPercent(high)}`;
}

/** Computes the ends of the interval, rounded to whole per cents. */
function shareBounds(count: number, of: number): readonly [number, number] {
  const [lower, upper] = binomialInterval(count, of, CONFIDENCE);
  return [Math.round(100 * lower) / 100, Math.round(100 * upper) / 100];
}

function printedCell(printed: number | undefined, count: number, of: number): string {
  if (printed === undefined) return "–";
  const share = printed / PRINTED_PROBLEMS;
  const [low, high] = shareBounds(count, of);
  return `${formatRoundPercent(share)}${share < low || share > high ? " *" : ""}`;
}

function chosenArchitectures(trials: readonly NetworkTrial[]): string {
  const truth: Method<NetworkTrial> = { name: "truth", choiceIn: (trial) => trial.truth };
  const titles = ["chosen by", ...ARCHITECTURES.map((layers) => layers.join("-"))];
  const rows = [truth, best, ...methods].map((method) => [
    method.name,
    ...choiceCounts(method, trials, ARCHITECTURES.length).map(String),
  ]);
  const powers = trials.map(({ adjustment }) => Math.round(-Math.log2(adjustment)));
  const usual = fiveNumbers(powers).median;
  return [
    "### How often each architecture was chosen",
    markdownTable(titles, rows),
    `C by holdout is 2^−${usual} in the median over the problems; the thesis uses 2⁻⁹ for all.`,
  ].join("\n\n");
}
