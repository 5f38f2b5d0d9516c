import type { Json, TrainOptions } from "vouch/train";
import type { DataToTrain } from "./chosen-data.js";

/** What a program needs to train the same model. */
interface ProgramFacts {
  readonly data: string;
  readonly flags: DataToTrain["flags"];
  readonly learner: string;
  /** Options that are not at their defaults. */
  readonly options: Readonly<Record<string, Json>>;
  readonly seed: number;
  /** What a good model is. */
  readonly wanted: Pick<TrainOptions, "metric" | "costs" | "abstain" | "sets">;
  /** Rows that the race found time for; all if absent. */
  readonly rows?: number | undefined;
  /** Number of candidates that the rows chose from. */
  readonly among: number;
}

/** Writes a program for Node that trains the same model with the library. */
export function programText({
  data,
  flags,
  learner,
  options,
  seed,
  wanted: { metric, ...wanted },
  rows,
  among,
}: ProgramFacts): string {
  const { header, group, time, target, mergeClasses, ...reading } = flags;
  const splitBy = { ...(group !== undefined && { group }), ...(time !== undefined && { time }) };
  const others = Object.values(splitBy);
  const read = [
    "target",
    ...(others.length > 0 ? [`keepSpelling: ${inCode(others)}`] : []),
    ...fields({ ...reading, ...(!header && { header }) }),
  ];
  const { numeric, categorical, text, ignore } = flags;
  const prepare = fields({
    numeric,
    categorical,
    text,
    ignore,
    target,
    mergeClasses,
    ...splitBy,
    ...(!header && { header }),
  });
  const { abstain, sets } = wanted;
  const needs = fields({ ...splitBy, abstain, sets });
  const train = [
    "target",
    ...fields(splitBy),
    ...(metric === "error" ? [] : [`metric: ${inCode(metric)}`]),
    ...fields(wanted),
    ...(rows === undefined ? [] : [`rows: ${rows}`]),
    ...(among > 1 ? [`chosenAmong: ${among}`] : []),
    `...defaultMeasuring(${["{ table, target }", ...(needs.length > 0 ? [`{ ${needs.join(", ")} }`] : [])].join(", ")})`,
    "notices",
    `run: { seed: ${seed}, executor: threadExecutor() }`,
  ];
  const given = Object.keys(options).length > 0 ? `, ${inCode(options)}` : "";
  return `import { readTable } from "@vouch/formats";
import { createLearner, threadExecutor, trainClassifier, verdictInWords } from "vouch";
import { defaultMeasuring, readPrepared } from "vouch/command";
import { saveModel } from "vouch/node";

const read = (target) => readTable(${inCode(data)}, { ${read.join(", ")} });
const { table, target, notices } = await readPrepared(read${prepare.length > 0 ? `, { ${prepare.join(", ")} }` : ""});
const learner = await createLearner(${inCode(learner)}${given});
const training = await trainClassifier(table, learner, {
${train.map((line) => `  ${line},`).join("\n")}
});
const { verdict, warnings } = verdictInWords(training.verdict);
console.log([verdict, ...warnings].join("\\n"));
console.log(training.certificates[0].statement);
await saveModel("model.safetensors", training.classifier);
`;
}

function fields(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${inCode(value)}`],
  );
}

function inCode(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}
