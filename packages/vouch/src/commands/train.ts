import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { saveModel } from "@vouch/core/internal/train/file";
import { trainCommandRequest, trainRequest } from "@vouch/core/internal/train/request/request";
import { reproductionCommand } from "@vouch/core/internal/train/request/request-text";
import type { Training } from "@vouch/core/internal/train/training";
import { alsoWithout } from "@vouch/core/internal/train/training-data";
import { dataLines } from "../format/data.js";
import type { FinishedTraining } from "../format/finished-training.js";
import { printTrained, trainedAsJson } from "../format/training.js";
import { checkTrainFlags } from "../options/train-flags.js";
import { withCommandContext } from "../process/command-context.js";
import { checkInstalled } from "../process/optional-package.js";
import { checkOutputs } from "../process/output-file.js";
import { noticePrinter, printJson, type Terminal, width, writeText } from "../process/terminal.js";
import { train } from "../train.js";

/** `vouch train DATA`: trains a classifier, measures and certifies its error, and saves it. */
export async function runTrain(argument: string, given: unknown, terminal: Terminal): Promise<void> {
  const flags = trainCommandRequest.parse(given);
  if (flags.shard !== undefined) {
    checkInstalled("@vouch/cluster", "--shard");
    const { trainOnShard } = await import("./train-on-shard.js");
    return trainOnShard(argument, { ...flags, shard: flags.shard }, terminal);
  }
  if (flags.report !== undefined) checkInstalled("@vouch/report", "--report");
  checkTrainFlags(argument, flags);
  checkOutputs({ out: flags.out, report: flags.report, record: flags.record }, [
    argument,
    flags.test,
    flags.unlabelled,
    flags.replay,
    flags.like,
  ]);
  const isRace = [flags.learner, flags.like, flags.replay].every((way) => way === undefined);
  await withCommandContext(flags, terminal, async ({ executor, stops, display }) => {
    const services = { executor, signal: stops.abort };
    const notify = noticePrinter(flags, terminal);
    // The first Ctrl-C ends the race with the best model so far.
    stops.finish.addEventListener("abort", () => {
      if (flags.quiet) return;
      display.clear();
      writeText(terminal.err, "Stopped: training the best learner so far. Press Ctrl-C again to abort.\n");
    });
    const trained = await train(argument, trainRequest.parse(flags), {
      ...services,
      finish: stops.finish,
      onProgress: display.report,
      onNotice: (notice) => {
        display.clear();
        notify(notice);
      },
      onData: (data) => {
        display.clear();
        if (!flags.json) writeText(terminal.out, `${dataLines(data, width(terminal.out))}\n`);
        stops.canFinish(isRace);
      },
    });
    stops.canFinish(false);
    display.clear();
    const { data, request, seconds } = trained;
    const { table, guess } = data;
    const finished = { data: argument, flags, request, table, training: trained, seconds, guess };
    await saveModel(flags.out, trained.classifier);
    if (flags.record !== undefined) await writeRecord(flags.record, trained);
    if (flags.report !== undefined) {
      await writeReport(flags.report, finished, {
        ...services,
        seed: request.seed,
        progress: display.report,
      });
    }
    display.clear();
    if (flags.json) printJson(terminal, trainedAsJson(finished));
    else await printTrained(finished, terminal);
  });
}

/** Writes the race log. */
async function writeRecord(file: string, { choice }: Training): Promise<void> {
  if (!choice?.record) return;
  await writeFileAtomic(file, new TextEncoder().encode(`${JSON.stringify(choice.record, null, 1)}\n`));
}

async function writeReport(path: string, trained: FinishedTraining, run: Partial<Run>): Promise<void> {
  const { renderReport } = await import("@vouch/report");
  const { data, request, training, flags } = trained;
  const table = alsoWithout(trained.table, [request.group ?? [], request.time ?? []].flat());
  const page = await renderReport(training, table, {
    command: reproductionCommand({ data, request, model: flags.out }, training),
    modelFile: flags.out,
    run,
    ...(flags.reportWithout && { without: flags.reportWithout }),
  });
  await writeFileAtomic(path, new TextEncoder().encode(page));
}
