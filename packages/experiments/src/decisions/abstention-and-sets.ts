import {
  boostedTrees,
  type Classifier,
  formatNumber,
  formatRoundPercent,
  labelsFor,
  type Table,
  trainClassifier,
} from "vouch";
import { z } from "zod";
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

/** The promises that are asked for, one training each. */
const ASKED = [
  { abstain: 0.02, sets: 0.9, setsBy: "all" },
  { abstain: 0.05, sets: 0.95, setsBy: "all" },
  { abstain: 0.1, sets: 0.95, setsBy: "class" },
] as const;

/** A data set, and how its rows are divided: all that are neither trained on nor held out are fresh. */
interface DividedData {
  readonly title: string;
  readonly dataset: string;
  /** One class against all others. */
  readonly against?: string;
  readonly training: number;
  readonly heldOut: number;
}

const DATA: Readonly<Record<Scale, readonly DividedData[]>> = {
  quick: [{ title: "breastcancer", dataset: "breastcancer", training: 200, heldOut: 200 }],
  paper: [
    { title: "german", dataset: "german", training: 400, heldOut: 300 },
    { title: "adult", dataset: "adult", training: 2000, heldOut: 2000 },
    // 10 % of the rows: the rare-class problem that is usually made of these data.
    { title: "satimage, class 4", dataset: "satimage", against: "4", training: 1500, heldOut: 1000 },
  ],
};

/** Whether abstention and sets keep their promises on rows that nothing has seen. */
export const abstentionAndSets = defineExperiment({
  name: "decisions/abstention-and-sets",
  paper: "Angelopoulos, Bates, Candès, Jordan and Lei 2025; Vovk 2012",
  shows:
    "How often the promises of abstention and of prediction sets are kept on fresh rows, at 95 % confidence: the error of answers, the share of rows that are answered, and the coverage of sets, overall and of every class.",
  cost: {
    quick: "3 seeds on breastcancer: seconds",
    paper:
      "100 seeds on german, adult and satimage, 3 trainings each: about 15 minutes on two threads; --resume FILE keeps finished sets",
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
    const parts = await partsOf(run, titles, talliesSchema, (title) =>
      talliesOn(used[titles.indexOf(title)], run),
    );
    return { parts, absent };
  },
  tables({ parts, absent }) {
    return [
      `A promise is about all future rows, but fresh rows are finitely many. So it counts as missed if the fresh rows are on the wrong side of it by any amount, which chance alone does to some promises that are true, and as significantly missed if they are so by more than chance explains at ${formatRoundPercent(SIGNIFICANCE)}. If a target cannot be kept, the promise is the best one that can be; “asked for” counts the seeds in which it is the one asked for.`,
      markdownTable(
        [
          "data set",
          "error at most",
          "asked for",
          "promised",
          "fresh error",
          "missed",
          "significantly",
          "answers at least",
          "fresh rate",
          "fewer",
          "significantly",
        ],
        parts.flatMap(({ dataset, answers }) => answers.map((one) => [dataset, ...answerCells(one)])),
      ),
      "“Promised”, “fresh error” and the rates are means over the seeds with a promise. For sets by class, the coverage is that of the class with the least, and a promise is missed if any class is.",
      markdownTable(
        ["data set", "coverage", "of", "asked for", "fresh coverage", "missed", "significantly", "mean size"],
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
  { training, heldOut, title, ...data }: DividedData,
  run: ExperimentRun,
): Promise<z.infer<typeof talliesSchema>> {
  const source = await datasetSource({ ...data, training: training + heldOut }, run);
  const { target } = source;
  let answers = ASKED.map(({ abstain }) => noAnswers(abstain));
  let sets = ASKED.map((asked) => noSets(asked.sets, asked.setsBy === "class"));
  for (let s = 0; s < SEEDS[run.scale]; s++) {
    run.progress({ stage: title, done: s, total: SEEDS[run.scale] });
    const seed = run.seed + s;
    const drawn = source.draw(seed);
    const options = { target, confidence: CONFIDENCE, holdout: heldOut / (training + heldOut) };
    const trained = await Promise.all(
      ASKED.map((asked) =>
        trainClassifier(drawn.training, LEARNER, {
          ...options,
          ...asked,
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
    ofRuled(fewer, ruled),
    ofRuled(significantlyFewer, ruled),
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
  return [`${met} of ${seeds}`, ...between, ofRuled(missed, ruled), ofRuled(significantly, ruled)];
}

function ofRuled(count: number, ruled: number): string {
  return `${count} of ${ruled}`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
