import { basename } from "node:path";
import { joinShards } from "@vouch/cluster";
import type { ShardGroup } from "@vouch/core/internal/runtime/shards/shard-group";
import { saveModel } from "@vouch/core/internal/train/file";
import { planTraining } from "@vouch/core/internal/train/plan-training";
import type { TrainCommandRequest } from "@vouch/core/internal/train/request/request";
import { trainFromShard } from "@vouch/core/internal/train/train-rows-on-shard";
import { printTrained, trainedAsJson } from "../format/training.js";
import { readShardOfData } from "../input/reading.js";
import type { ProcessShare } from "../options/flags.js";
import { checkShardFlags, checkTrainFlags, type ShardRun } from "../options/train-flags.js";
import { type CommandContext, withCommandContext } from "../process/command-context.js";
import { needsShutdownTime } from "../process/interruption.js";
import { checkOutputs } from "../process/output-file.js";
import { noticePrinter, printJson, type Terminal, writeText } from "../process/terminal.js";

type Flags = TrainCommandRequest & { readonly shard: ProcessShare };

/**
 * `vouch train DATA --shard K/N`: trains on a part of the rows, together with the processes of the other parts. Shard 1
 * saves the model.
 */
export async function trainOnShard(argument: string, flags: Flags, terminal: Terminal): Promise<void> {
  const run = checkShardFlags(argument, flags);
  checkTrainFlags(argument, flags);
  const plan = await planTraining(flags);
  const { share } = run;
  const isFirst = share.index === 1;
  if (isFirst) checkOutputs({ out: flags.out }, [argument]);
  const { cluster: _, ...local } = flags;
  await withCommandContext(local, terminal, async (services) => {
    const notify = noticePrinter(flags, terminal);
    if (share.of > 1)
      notify(`Shard ${share.index} of ${share.of} of run "${run.name}" waits for the other shards.`);
    const { executor, display, stops } = services;
    const trained = await asShard(run, flags, services, (group) => {
      const reading = { flags, executor, signal: stops.abort, progress: display.report };
      const read: Parameters<typeof trainFromShard>[1]["read"] = async (target) => ({
        rows: await readShardOfData(argument, group, { ...reading, target }),
      });
      return trainFromShard(basename(argument), { read }, plan, group, {
        executor,
        signal: stops.abort,
        onProgress: display.report,
      });
    });
    display.clear();
    if (!isFirst) {
      const done = { shard: share.index, shards: share.of };
      if (flags.json) printJson(terminal, done);
      else
        writeText(terminal.out, `shard ${done.shard} of ${done.shards} is done; shard 1 saves the model\n`);
      return;
    }
    trained.classifier.card.notices.forEach(notify);
    notify("Probabilities are not calibrated on shards.");
    await saveModel(flags.out, trained.classifier);
    const { table, seconds } = trained;
    const finished = { data: argument, flags, request: plan.request, table, training: trained, seconds };
    if (flags.json) printJson(terminal, { ...trainedAsJson(finished), shards: share.of });
    else await printTrained(finished, terminal);
  });
}

/** Runs work as a shard; the library counts shards from 0. */
async function asShard<T>(
  { url, name, share }: ShardRun,
  { connect, host }: Flags,
  { stops }: CommandContext,
  work: (group: ShardGroup) => Promise<T>,
): Promise<T> {
  needsShutdownTime();
  return joinShards(
    {
      url,
      run: name,
      shard: share.index - 1,
      shards: share.of,
      signal: stops.abort,
      ...(connect && { connect }),
      host,
    },
    work,
  );
}
