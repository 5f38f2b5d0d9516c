import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { formatNumber, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { Table } from "@vouch/core/internal/table/table";
import { labelsFor } from "@vouch/core/internal/table/target";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { trainClassifier } from "@vouch/core/internal/train/train";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { markdownTable } from "../markdown-table.js";
import { datasetSource } from "./drawn-tables.js";
import {
  type AnswersTally,
  addAnswers,
  addSets,
  type FreshAnswers,
  noAnswers,
  noSets,
  type SetsTally,
  SIGNIFICANCE,
  talliesSchema,
} from "./judged-promises.js";

const CONFIDENCE = 0.95;
const LEARNER = boostedTrees({ rounds: 100, maxDepth: 3 });
const SEEDS: Readonly<Record<Scale, number>> = { quick: 3, paper: 100 };

/** The requested sets, each with one abstention target. */
const SETS = [
  { sets: 0.9, setsBy: "all" },
  { sets: 0.95, setsBy: "all" },
  { sets: 0.95, setsBy: "class" },
] as const;

/** A data set and its split: rows that are neither trained on nor held out are fresh. */
interface DividedData {
  readonly title: string;
  readonly dataset: string;
  /** Turns the problem into one class against the rest. */
  readonly against?: string;
  readonly training: number;
  readonly heldOut: number;
  /** Targets for the error of answers, one for each of `SETS`. */
  readonly targets: readonly number[];
}

const DATA: Readonly<Record<Scale, readonly DividedData[]>> = {
  quick: [
    {
      title: "breastcancer",
      dataset: "breastcancer",
      training: 200,
      heldOut: 200,
      targets: [0.02, 0.05, 0.1],
    },
  ],
  paper: [
    { title: "german", dataset: "german", training: 400, heldOut: 300, targets: [0.1, 0.15, 0.2] },
    { title: "adult", dataset: "adult", training: 4000, heldOut: 2000, targets: [0.02, 0.05, 0.1] },
    // 10% of the rows: the usual rare-class problem on these data.
    {
      title: "satimage, class 4",
      dataset: "satimage",
      against: "4",
      training: 1500,
      heldOut: 1000,
      targets: [0.02, 0.05, 0.1],
    },
  ],
};

/** Experiment: do abstention and sets keep their promises on unseen rows? */
export const abstentionAndSets = defineExperiment({
  name: "decisions/abstention-and-sets",
  paper: "Angelopoulos, Bates, Candès, Jordan and Lei 2025; Vovk 2012",
  shows:
    "How often the promises of abstention and of prediction sets are kept on fresh rows, at 95% confidence: the error of answers, the share of rows that are answered, and the coverage of sets, overall and of every class.",
  cost: {
    quick: "3 seeds on breastcancer: seconds",
    paper:
      "100 seeds on german, adult and satimage, 3 trainings each: about 10 minutes on two threads; --resume FILE keeps finished sets",
  },
  data: z.strictObject({ parts: z.array(talliesSchema), absent: z.array(z.string()) }),
  async measure(run) {
    const data = DATA[run.scale];
    const { present, absent } = await availableSets(
      data.map(({ dataset }) => dataset),
      run.scale,
    );
    const used = data.filter(({ dataset }) => present.includes(dataset));
    const titles = used.map(({ title }) => title);
    const parts = await partsOf(run, titles, talliesSchema, (_, k) => talliesOn(used[k], run));
    return { parts, absent };
  },
  tables({ parts, absent }) {
    return [
      `A promise is about all future rows, but fresh rows are finitely many. So it counts as kept if the fresh rows are on its side, which chance alone denies to some promises that are true, and as not refuted if they are on the wrong side by no more than chance explains at ${formatRoundPercent(SIGNIFICANCE)}. At ${formatRoundPercent(CONFIDENCE)} confidence, up to ${formatRoundPercent(1 - CONFIDENCE)} of the promises may be false. If a target cannot be kept, the promise is the best one that can be; “asked for” counts the seeds in which it is the one asked for.`,
      markdownTable(
        [
          "data set",
          "error at most",
          "asked for",
          "promised",
          "fresh error",
          "kept",
          "not refuted",
          "answers at least",
          "fresh rate",
          "kept",
          "not refuted",
        ],
        parts.flatMap(({ dataset, answers }) => answers.map((one) => [dataset, ...answerCells(one)])),
      ),
      "“Promised”, “fresh error” and the rates are means over the seeds with a promise. For sets by class, the coverage is the lowest of any class, and a promise is kept if it is in every class.",
      markdownTable(
        ["data set", "coverage", "of", "asked for", "fresh coverage", "kept", "not refuted", "mean size"],
        parts.flatMap(({ dataset, sets }) => sets.map((one) => [dataset, ...setCells(one)])),
      ),
      parts
        .map(
          (part) =>
            `${part.dataset}: ${formatNumber(part.training)} training rows, ${formatNumber(part.heldOut)} held-out rows, ${formatNumber(part.fresh)} fresh rows.`,
        )
        .join(" "),
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

async function talliesOn(
  { training, heldOut, title, targets, ...data }: DividedData,
  run: ExperimentRun,
): Promise<z.infer<typeof talliesSchema>> {
  const source = await datasetSource({ ...data, training: training + heldOut }, run);
  const { target } = source;
  let answers = targets.map(noAnswers);
  let sets = SETS.map((asked) => noSets(asked.sets, asked.setsBy === "class"));
  for (let s = 0; s < SEEDS[run.scale]; s++) {
    run.progress({ stage: title, done: s, total: SEEDS[run.scale] });
    const seed = run.seed + s;
    const drawn = source.draw(seed);
    const options = { target, confidence: CONFIDENCE, holdout: heldOut / (training + heldOut) };
    const trained = await Promise.all(
      SETS.map((asked, i) =>
        trainClassifier(drawn.training, LEARNER, {
          ...options,
          ...asked,
          abstain: targets[i],
          run: { ...run, seed, progress: () => {} },
        }),
      ),
    );
    const fresh = trained.map(({ classifier }) => answersOf(classifier, drawn.fresh));
    answers = answers.map((tally, i) => addAnswers(tally, trained[i], fresh[i]));
    sets = sets.map((tally, i) => addSets(tally, trained[i], fresh[i]));
  }
  const fresh = source.draw(run.seed).fresh.rows;
  return { dataset: title, training, heldOut, fresh, answers, sets };
}

function answersOf(classifier: Classifier, table: Table): FreshAnswers {
  const { features, labels } = labelsFor(table, classifier.encoder.schema);
  const { predictions, sets = [] } = classifier.classify(features);
  return { classes: classifier.classes, labels, predictions, sets };
}

function answerCells(tally: AnswersTally): string[] {
  const { target, ruled, certified, error, leastRate, rate, fewer, significantlyFewer } = tally;
  const average = (sum: number) => (ruled === 0 ? "–" : percent(sum / ruled));
  return [
    formatRoundPercent(target),
    ...outcomeCells(tally, [average(certified), average(error)]),
    average(leastRate),
    average(rate),
    ofRuled(ruled - fewer, ruled),
    ofRuled(ruled - significantlyFewer, ruled),
  ];
}

function setCells(tally: SetsTally): string[] {
  const { level, perClass, ruled, coverage, size } = tally;
  const average = ruled === 0 ? "–" : percent(coverage / ruled);
  return [
    formatRoundPercent(level),
    perClass ? "every class" : "all rows",
    ...outcomeCells(tally, [average]),
    ruled === 0 ? "–" : (size / ruled).toFixed(2),
  ];
}

function outcomeCells(tally: AnswersTally | SetsTally, between: readonly string[]): string[] {
  const { seeds, ruled, met, missed, significantly } = tally;
  return [
    `${met} of ${seeds}`,
    ...between,
    ofRuled(ruled - missed, ruled),
    ofRuled(ruled - significantly, ruled),
  ];
}

function ofRuled(count: number, ruled: number): string {
  return `${count} of ${ruled}`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)}%`;
}
