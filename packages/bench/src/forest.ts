import { fileURLToPath } from "node:url";
import { forest, randomTrees } from "@vouch/core/internal/learners/forest/forest";
import { classifyRows } from "@vouch/core/internal/learners/score-rows";
import { completeRun } from "@vouch/core/internal/runtime/parallel/run";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import {
  findPython,
  findR,
  freshProcess,
  linePeer,
  localOn,
  onThreads,
  peerScript,
  pythonPeer,
} from "./contestants.js";
import {
  accuracyPercent,
  binnedSample,
  categoriesWork,
  type ForestWork,
  loadParts,
  numericWork,
  QUERIES,
  trainForestWork,
} from "./forest-work.js";
import { inTemporaryFolder, type PeerRows, writeRows } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, ifAvailable, race, withoutData } from "./race.js";

const TREES = 100;

const forestOnce = fileURLToPath(new URL("forest-once.js", import.meta.url));

interface Bench {
  readonly dataset: string;
  readonly form: typeof numericWork;
  readonly repeats: number;
  /** Maximum number of training rows, to save time. */
  readonly most?: number;
}

const benches: readonly Bench[] = [
  { dataset: "letter", form: numericWork, repeats: 5 },
  { dataset: "adult", form: categoriesWork, repeats: 3 },
  { dataset: "adult", form: numericWork, repeats: 3 },
  { dataset: "mnist", form: numericWork, repeats: 1, most: 20_000 },
];

/**
 * Benchmarks forests of 100 trees on official training parts: training, including the binning of vouch; predicting
 * 10,000 rows; time and peak memory of both in a new process. Accuracies are measured on the official test parts.
 */
export async function* forestBenchmark(
  threadCounts: readonly number[] = [1, 2],
): AsyncGenerator<BenchmarkResult> {
  for (const { dataset, form, repeats, most } of benches) {
    const parts = await ifAvailable(() => loadParts(dataset, most));
    if (parts) yield* inTemporaryFolder((folder) => races(form(parts), folder, repeats, threadCounts));
    else yield withoutData(`forest: ${dataset}`);
  }
}

async function* races(
  work: ForestWork,
  folder: string,
  repeats: number,
  threadCounts: readonly number[],
): AsyncGenerator<BenchmarkResult> {
  const files = await writeFiles(work, folder);
  for (const kind of ["forest", "random-trees"] as const) {
    for (const threads of threadCounts) yield await raceTraining(kind, work, files, threads, repeats);
  }
  for (const threads of threadCounts) yield await racePredictions(work, files, threads, 2 * repeats + 1);
  const most = Math.max(...threadCounts);
  if (work.coded === work.numeric) yield await raceMemory(work, files, most, repeats);
}

/** The files of the peers, and the numbers of categories as an argument. */
interface PeerFiles {
  readonly numeric: PeerRows;
  readonly coded: PeerRows;
  readonly categories: string;
}

async function writeFiles(work: ForestWork, folder: string): Promise<PeerFiles> {
  const { labels } = work;
  const numeric = await writeRows(`${folder}/numeric`, work.numeric, labels);
  const same = work.coded === work.numeric;
  const coded = same ? numeric : await writeRows(`${folder}/coded`, work.coded, labels);
  return { numeric, coded, categories: work.categories.join(",") };
}

/** Times the training of random forests or completely random trees. No contestant computes an out-of-bag estimate. */
async function raceTraining(
  kind: "forest" | "random-trees",
  work: ForestWork,
  files: PeerFiles,
  threads: number,
  repeats: number,
): Promise<BenchmarkResult> {
  const size = `on ${work.name}, ${onThreads(threads)}`;
  if (kind === "forest") {
    const contestants = [
      trainForestWork(work, forest({ trees: TREES, outOfBag: false }), threads),
      scikitLearn("RandomForestClassifier", "fit", kind, files, threads),
      ranger("fit", files, threads),
    ];
    return race(`forest: ${TREES} trees ${size}`, contestants, repeats);
  }
  const contestants = [
    trainForestWork(work, randomTrees({ trees: TREES }), threads),
    scikitLearn("ExtraTreesClassifier, 1 feature", "fit", kind, files, threads),
  ];
  return race(`random-trees: ${TREES} completely random trees ${size}`, contestants, repeats);
}

async function racePredictions(
  work: ForestWork,
  files: PeerFiles,
  threads: number,
  repeats: number,
): Promise<BenchmarkResult> {
  const binned = work.bin();
  const sample = binnedSample(work, binned);
  const model = await forest({ trees: TREES, outOfBag: false }).fit(sample, { seed: 1 });
  const labels = work.labels.query;
  return race(
    `forest: prediction of ${formatNumber(QUERIES)} rows by ${TREES} trees, ${work.name}, ${onThreads(threads)}`,
    [
      localOn(
        "vouch",
        threads,
        (executor) => classifyRows(model, binned.other("query"), completeRun({ executor })),
        ({ predictions }) => ({ "accuracy %": accuracyPercent(predictions, labels) }),
      ),
      scikitLearn("RandomForestClassifier", "predict", "forest", files, threads),
      ranger("predict", files, threads),
    ],
    repeats,
  );
}

/** Times everything from a matrix in a file to predictions of the test part, in a new process each time. */
async function raceMemory(
  work: ForestWork,
  files: PeerFiles,
  threads: number,
  repeats: number,
): Promise<BenchmarkResult> {
  const python = findPython(["sklearn"]);
  const numbers = [TREES, threads].map(String);
  return race(
    `forest: new process that trains ${TREES} trees and predicts the test part, ${work.name}, ${onThreads(threads)}`,
    [
      freshProcess({
        name: "vouch",
        command: [process.execPath, forestOnce, ...files.numeric, ...numbers],
        absence: "",
      }),
      freshProcess({
        name: "scikit-learn RandomForestClassifier",
        command:
          python === undefined
            ? undefined
            : [python, peerScript("forest.py"), "once", "forest", ...files.numeric, ...numbers],
        absence: "no Python with sklearn",
      }),
      freshProcess({ name: "ranger", command: rangerCommand("once", files, threads), absence: NO_RANGER }),
    ],
    repeats,
  );
}

function scikitLearn(
  name: string,
  job: "fit" | "predict",
  kind: "forest" | "random-trees",
  { numeric }: PeerFiles,
  threads: number,
): Contestant {
  return pythonPeer({
    name: `scikit-learn ${name}`,
    script: "forest.py",
    modules: ["sklearn"],
    args: [job, kind, ...numeric, String(TREES), String(threads)],
    threads,
  });
}

function ranger(job: "fit" | "predict", files: PeerFiles, threads: number): Contestant {
  return linePeer({ name: "ranger", find: () => rangerCommand(job, files, threads), absence: NO_RANGER });
}

const NO_RANGER = "no R with ranger";

function rangerCommand(
  job: "fit" | "predict" | "once",
  { coded, categories }: PeerFiles,
  threads: number,
): string[] | undefined {
  const r = findR("ranger");
  if (r === undefined) return undefined;
  return [r, peerScript("ranger.R"), job, ...coded, String(TREES), String(threads), categories];
}
