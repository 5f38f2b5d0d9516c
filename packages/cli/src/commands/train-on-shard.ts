import { basename } from "node:path";
import { joinShards } from "@vouch/cluster/sharded";
import { learnerNamed } from "vouch";
import { identifierNotice, type PrepareOptions, parseSettings, prepareRows, targetRule } from "vouch/command";
import { saveModel } from "vouch/node";
import { type ShardGroup, trainShard } from "vouch/sharded";
import { type Json, type Table, VouchError } from "vouch/train";
import type { ProcessShare } from "../flags.js";
import { closesSlowly } from "../interruption.js";
import { type LongRun, longRun } from "../long-run.js";
import { checkOutputs } from "../output-file.js";
import { readShardOfData } from "../reading.js";
import { checkShardFlags, flagOf, type ShardRun } from "../shard-flags.js";
import { noticePrinter, printJson, type Terminal, writeText } from "../terminal.js";
import { checkTrainFlags, type TrainFlags } from "../train-flags.js";
import { printTrained, trainedAsJson } from "../trained-run.js";

/** The fraction of the rows that is held out by default; of many rows `trainShard` takes fewer. */
const HOLDOUT = 0.2;

type Flags = TrainFlags & { readonly shard: ProcessShare };

/** `vouch train DATA --shard K/N`: trains on a part of the rows, together with the processes that have the others. The first saves the model. */
export async function trainOnShard(argument: string, flags: Flags, terminal: Terminal): Promise<void> {
  const run = checkShardFlags(argument, flags);
  checkTrainFlags(argument, flags);
  const kind = await learnerNamed(run.learner);
  const learner = kind.create(parseSettings(kind, flags.set ?? []));
  const { share } = run;
  const isFirst = share.index === 1;
  if (isFirst) checkOutputs({ out: flags.out }, [argument]);
  const { cluster: _, ...local } = flags;
  await longRun(local, terminal, async (services) => {
    const began = performance.now();
    const notify = noticePrinter(flags, terminal);
    if (share.of > 1)
      notify(`Shard ${share.index} of ${share.of} of run "${run.name}" waits for the others.`);
    const { training, table } = await asShard(run, flags, services, async (group) => {
      await agree(group, argument, flags);
      const { executor, display, stops } = services;
      const rule = targetRule(flags.target, flags.ignore);
      const reading = { flags, target: rule, executor };
      const read = await readShardOfData(argument, group, {
        ...reading,
        signal: stops.abort,
        progress: display.report,
      });
      // By names alone: the values of a shard may look like classes on one shard only.
      const target = typeof rule === "string" ? rule : rule(read.columns.map(({ name }) => name));
      const { table, notices } = await withoutIdentifiers(read, group, { ...flags, target });
      const training = await trainShard(table, group, {
        ...(target !== undefined && { target }),
        holdout: flags.holdout ?? HOLDOUT,
        confidence: flags.confidence,
        learner,
        notices,
        run: { seed: flags.seed, executor, signal: stops.abort, progress: display.report },
      });
      return { training: { ...training, candidates: [] }, table };
    });
    services.display.clear();
    if (!isFirst) {
      const done = { shard: share.index, shards: share.of };
      if (flags.json) printJson(terminal, done);
      else
        writeText(terminal.out, `shard ${done.shard} of ${done.shards} is done; shard 1 saves the model\n`);
      return;
    }
    training.classifier.card.notices.forEach(notify);
    notify("Probabilities are not calibrated on shards.");
    await saveModel(flags.out, training.classifier);
    const seconds = (performance.now() - began) / 1000;
    const finished = { data: argument, flags, table, training, seconds };
    if (flags.json) printJson(terminal, { ...trainedAsJson(finished), shards: share.of });
    else await printTrained(finished, terminal);
  });
}

/** Works as a shard; the library counts them from 0. */
async function asShard<T>(
  { url, name, share }: ShardRun,
  { connect, host }: TrainFlags,
  { stops }: LongRun,
  work: (group: ShardGroup) => Promise<T>,
): Promise<T> {
  closesSlowly();
  return joinShards(
    {
      url,
      run: name,
      shard: share.index - 1,
      shards: share.of,
      signal: stops.abort,
      ...(connect && { connect }),
      ...(host !== undefined && { host }),
    },
    work,
  );
}

/** Checks that all shards were started with the same flags, as far as these decide what the model is. */
async function agree(group: ShardGroup, argument: string, flags: Flags): Promise<void> {
  const {
    learner,
    set = [],
    target,
    holdout,
    confidence,
    seed,
    header,
    categorical,
    numeric,
    ignore,
  } = flags;
  const { format, delimiter, decimalComma, missing, encoding, skip, headerRow, keepTotals } = flags;
  const own: Record<string, unknown> = {
    ...{ DATA: basename(argument), learner, set, target, holdout, confidence, seed, header },
    ...{ categorical, numeric, ignore, format, delimiter, decimalComma, missing },
    ...{ encoding, skip, headerRow, keepTotals },
  };
  const names = Object.keys(own);
  const values = names.map((name) => JSON.stringify(own[name] ?? null));
  const all = await group.gather(new TextEncoder().encode(JSON.stringify(values)));
  const [first, ...others] = all.map((bytes): Json => JSON.parse(new TextDecoder().decode(bytes)));
  for (const [i, other] of others.entries()) {
    if (!Array.isArray(first) || !Array.isArray(other) || other.length !== first.length) {
      throw new VouchError("cluster/malformed", `Shard ${i + 2} has sent other settings than shard 1.`);
    }
    const k = first.findIndex((value, place) => value !== other[place]);
    if (k < 0) continue;
    const flag = names[k] === "DATA" ? "DATA" : `--${flagOf(names[k])}`;
    throw new VouchError(
      "option/invalid",
      `Shard ${i + 2} was started with ${flag} ${other[k]}, and shard 1 with ${first[k]}.`,
      { hint: "Start all shards with the same data and the same options." },
    );
  }
}

/** Drops the columns that look like identifiers on every shard that has rows. */
async function withoutIdentifiers(
  part: Table,
  group: ShardGroup,
  flags: PrepareOptions,
): Promise<{ readonly table: Table; readonly notices: readonly string[] }> {
  const own = part.rows > 0 ? prepareRows(part, flags).identifiers : null;
  const all = await group.gather(new TextEncoder().encode(JSON.stringify(own)));
  const lists = all.map((bytes): Json => JSON.parse(new TextDecoder().decode(bytes)));
  const identifiers = part.columns
    .map(({ name }) => name)
    .filter((name) => lists.every((list) => list === null || (Array.isArray(list) && list.includes(name))));
  if (identifiers.length === 0 || lists.every((list) => list === null)) return { table: part, notices: [] };
  return { table: part.without(identifiers), notices: [identifierNotice(identifiers)] };
}
