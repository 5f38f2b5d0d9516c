import type { Json } from "../runtime/codec/state.js";
import type { ShardGroup } from "../runtime/shards/shard-group.js";
import type { Table } from "../table/table.js";
import type { PlannedTraining } from "./plan-training.js";
import { identifierNotice, prepareTable, targetRule } from "./prepare-table.js";
import type { TrainRequest } from "./request/request.js";
import { agreeOnRequest } from "./request/shard-request.js";
import { type ShardTrainingOptions, trainShard } from "./train-shard.js";
import type { TrainSource } from "./train-source.js";
import type { TrainServices } from "./train-table.js";
import type { Training } from "./training.js";

/** Default fraction of held-out rows; of many rows, `trainShard` takes fewer. */
const HOLDOUT = 0.2;

/** A model trained by several shards, and the rows of this one. */
export interface ShardTrained extends Training {
  readonly table: Table;
  readonly seconds: number;
}

/**
 * Reads a part of the rows and trains on it like `vouch train --shard`, together with the processes of the other parts.
 */
export async function trainFromShard(
  name: string,
  source: Pick<TrainSource, "read">,
  { request, learner }: PlannedTraining,
  group: ShardGroup,
  { executor, signal, onProgress }: TrainServices = {},
): Promise<ShardTrained> {
  const began = performance.now();
  await agreeOnRequest(name, request, group);
  const rule = targetRule(request.target, request.ignore);
  const { rows } = await source.read(rule, []);
  // By names alone, because the values may look like classes on one shard only.
  const target = typeof rule === "string" ? rule : rule(rows.columns.map((column) => column.name));
  const table = await withoutIdentifiers(rows, group, { ...request, target });
  const options: ShardTrainingOptions = {
    ...(target !== undefined && { target }),
    holdout: request.holdout ?? HOLDOUT,
    confidence: request.confidence,
    learner,
    run: { seed: request.seed, executor, signal, progress: onProgress },
  };
  const training = await trainShard(table, group, options);
  return { ...training, candidates: [], table, seconds: (performance.now() - began) / 1000 };
}

/** Drops the columns that look like identifiers on every shard that has rows. */
async function withoutIdentifiers(part: Table, group: ShardGroup, request: TrainRequest): Promise<Table> {
  const own = part.rows > 0 ? prepareTable(part, request).identifiers : null;
  const all = await group.gather(new TextEncoder().encode(JSON.stringify(own)));
  const lists = all.map((bytes): Json => JSON.parse(new TextDecoder().decode(bytes)));
  const identifiers = part.columns
    .map(({ name }) => name)
    .filter((name) => lists.every((list) => list === null || (Array.isArray(list) && list.includes(name))));
  if (identifiers.length === 0 || lists.every((list) => list === null)) return part;
  return part.without(identifiers).withNotices([identifierNotice(identifiers)]);
}
