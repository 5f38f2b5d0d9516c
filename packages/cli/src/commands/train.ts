import { defaultMeasuring, trainCommand } from "vouch/command";
import { saveModel, writeFileAtomic } from "vouch/node";
import { type Progress, type Run, type TrainOptions, trainClassifier } from "vouch/train";
import { dataLines } from "../data-lines.js";
import { longRun } from "../long-run.js";
import { classWeights, objectiveOptions } from "../objective-flags.js";
import { checkOutputs } from "../output-file.js";
import { type Reading, readAside, readNewData, readTrainingData } from "../reading.js";
import { alsoWithout, namingData, type RowsToLearn, readRowsToLearn } from "../rows-to-learn.js";
import { noticePrinter, printJson, type Terminal, width, writeText } from "../terminal.js";
import { threadTasks } from "../thread-tasks.js";
import { checkTrainFlags, type TrainFlags } from "../train-flags.js";
import { printTrained, type TrainedRun, trainedAsJson } from "../trained-run.js";
import { choiceOfLearner, learnerToTrain, writeRecord } from "../training-learner.js";

const ADVICE_ON_FEW_ROWS = "Give more rows, or name a --learner and use fewer --folds.";

/** `vouch train DATA`: trains a classifier, measures and certifies its error, and saves it. */
export async function train(argument: string, given: TrainFlags, terminal: Terminal): Promise<void> {
  const { named, record, flags } = await learnerToTrain(given);
  const wanted = wantedOf(flags);
  checkTrainFlags(argument, flags);
  checkOutputs({ out: flags.out, report: flags.report, record: flags.record }, [
    argument,
    flags.test,
    flags.unlabelled,
    flags.replay,
    flags.like,
  ]);
  await longRun(flags, terminal, async ({ executor, stops, display }) => {
    const began = performance.now();
    const signal = stops.abort;
    const services = { signal, progress: display.report, executor };
    const tasks = await threadTasks(named ? [named] : []);
    const data = await readRowsToLearn(argument, flags, { ...services, tasks });
    display.clear();
    const { table, target, whole, notices } = data;
    const notify = noticePrinter(flags, terminal);
    // Printed when the fit begins, after all checks of the data.
    const printData = once(() => {
      for (const { message } of table.notices) notify(message);
      if (flags.json) return;
      writeText(terminal.out, `${dataLines(data, width(terminal.out))}\n`);
    });
    const progress = (progress: Progress) => {
      printData();
      display.report(progress);
    };
    const run = { seed: flags.seed, executor, signal, progress };
    const reading = { flags, target, like: whole.columns, ...services };
    const measuring = await measuringOf(flags, data, reading);
    const unlabelled = await unlabelledOf(flags, reading);
    const aside = await readAside(argument, whole, { flags, signal });
    const options = {
      ...{ ...wanted, target, ...data.splitBy, notices, run },
      ...{ ...measuring, ...unlabelled, ...(aside && { aside }) },
    };
    const learner = named ?? choiceOfLearner(flags, record, stops, display, terminal);
    const training = await trainClassifier(table, learner, options).catch((error) => {
      throw namingData(error, table.name, ADVICE_ON_FEW_ROWS);
    });
    stops.canFinish(false);
    const seconds = (performance.now() - began) / 1000;
    display.clear();
    training.classifier.card.notices.forEach(notify);
    const finished = { data: argument, flags, table, training, seconds, guess: data.guess };
    await saveModel(flags.out, training.classifier);
    if (flags.record !== undefined) await writeRecord(flags.record, training);
    printData();
    if (flags.report !== undefined) await writeReport(flags.report, finished, run);
    display.clear();
    if (flags.json) printJson(terminal, trainedAsJson(finished));
    else await printTrained(finished, terminal);
  });
}

/** Returns what the flags say about the model and its certificates. */
function wantedOf(flags: TrainFlags): TrainOptions {
  const { confidence, rows, chosenAmong, abstain, sets, setsBy, calibrate } = flags;
  const weights = classWeights(flags);
  return {
    confidence,
    ...objectiveOptions(flags),
    ...(weights !== undefined && { classWeights: weights }),
    ...(abstain !== undefined && { abstain }),
    ...(sets !== undefined && { sets }),
    ...(setsBy !== undefined && { setsBy }),
    ...(calibrate !== undefined && { calibrate }),
    ...(rows !== undefined && { rows }),
    ...(chosenAmong !== undefined && { chosenAmong }),
  };
}

/** Makes a function that works only the first time. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

/** Decides how to measure the error: as the user says, or on the official test rows, or by the number of rows. */
async function measuringOf(
  flags: TrainFlags,
  data: RowsToLearn,
  reading: Reading,
): Promise<Pick<TrainOptions, "test" | "holdout" | "stratify" | "folds">> {
  const { test, holdout, stratify = false, folds } = flags;
  if (test !== undefined) return { test: alsoWithout(await readNewData(test, reading), data.identifiers) };
  if (folds !== undefined) return { folds };
  if (holdout === undefined && !stratify && data.test) return { test: data.test };
  if (holdout !== undefined) return { holdout, stratify };
  return { ...defaultMeasuring(data, flags), ...(stratify && { stratify }) };
}

/** Reads the rows to pre-train on: the training rows of a data set with an official split. */
async function unlabelledOf(
  { unlabelled }: TrainFlags,
  reading: Reading,
): Promise<Pick<TrainOptions, "unlabelled">> {
  return unlabelled === undefined ? {} : { unlabelled: (await readTrainingData(unlabelled, reading)).rows };
}

async function writeReport(path: string, trained: TrainedRun, run: Partial<Run>): Promise<void> {
  const { reportOf } = await import("@vouch/report");
  const { training, flags } = trained;
  const table = alsoWithout(trained.table, [flags.group ?? [], flags.time ?? []].flat());
  const page = await reportOf(training, table, {
    command: trainCommand(trained, training),
    modelFile: flags.out,
    run,
    ...(flags.reportWithout && { without: flags.reportWithout }),
  });
  await writeFileAtomic(path, new TextEncoder().encode(page));
}
