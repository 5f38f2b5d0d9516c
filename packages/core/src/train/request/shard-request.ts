import type * as z from "zod";
import type { Json } from "../../runtime/codec/state.js";
import type { ShardGroup } from "../../runtime/shards/shard-group.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { fieldsIn } from "./field.js";
import { trainCommandRequest } from "./request.js";

type Given = Readonly<Record<string, unknown>>;

/** The learner that can be trained on shards. */
const LEARNER = "boosted-trees";

/** Refuses learners that cannot be trained on shards. */
export function checkShardLearner(learner: string | undefined): void {
  if (learner === LEARNER) return;
  if (learner === undefined) {
    throw new VouchError("option/invalid", `--shard trains ${LEARNER}, but no --learner is given.`, {
      hint: `Add --learner ${LEARNER}.`,
    });
  }
  throw new VouchError("option/invalid", `${learner} cannot be trained on shards.`, {
    hint: `Train ${LEARNER} on shards, or ${learner} on a subsample of the rows: --rows without --shard.`,
  });
}

/** Refuses options that training on shards does not support. */
export function checkShardRequest(request: Given, schema: z.ZodObject = trainCommandRequest): void {
  for (const { name, option, shards } of fieldsIn(schema)) {
    if (typeof shards === "string" || request[name] === undefined) continue;
    throw new VouchError("option/invalid", `${option} cannot be combined with --shard.`, {
      hint: shards.refused,
    });
  }
}

/** Checks that all shards were started with the same data and the same options, where these determine the model. */
export async function agreeOnRequest(
  data: string,
  request: Given,
  group: ShardGroup,
  schema: z.ZodObject = trainCommandRequest,
): Promise<void> {
  const same = fieldsIn(schema).filter(({ shards }) => shards === "same");
  const options = ["DATA", ...same.map(({ option }) => option)];
  const values = [data, ...same.map(({ name }) => request[name])].map((value) =>
    JSON.stringify(value ?? null),
  );
  const all = await group.gather(new TextEncoder().encode(JSON.stringify(values)));
  const [first, ...others] = all.map((bytes): Json => JSON.parse(new TextDecoder().decode(bytes)));
  for (const [i, other] of others.entries()) {
    if (!Array.isArray(first) || !Array.isArray(other) || other.length !== first.length) {
      throw new VouchError("cluster/malformed", `Shard ${i + 2} has sent other settings than shard 1.`);
    }
    const k = first.findIndex((value, place) => value !== other[place]);
    if (k < 0) continue;
    throw new VouchError(
      "option/invalid",
      `Shard ${i + 2} was started with ${options[k]} ${other[k]}, and shard 1 with ${first[k]}.`,
      { hint: "Start all shards with the same data and the same options." },
    );
  }
}
