import { describe, expect, it } from "vitest";
import { memoryExchange } from "#core/runtime/shards/exchange.js";
import { ShardGroup } from "#core/runtime/shards/shard-group.js";

/** Runs work on all shards of a group at once. */
function onShards<T>(
  shards: number,
  work: (group: ShardGroup) => Promise<T>,
  options: { readonly direct?: boolean } = {},
): Promise<T[]> {
  const exchange = memoryExchange();
  return Promise.all(
    Array.from({ length: shards }, (_, shard) => work(new ShardGroup(exchange, shard, shards, options))),
  );
}

describe("a group of shards", () => {
  it("passes numbers from shard to shard, in their order", async () => {
    const results = await onShards(4, (group) =>
      group.fold(Float64Array.of(1), (numbers) => {
        numbers[0] = 10 * numbers[0] + group.shard;
      }),
    );
    for (const numbers of results) expect([...numbers]).toEqual([10_123]);
  });

  it.each([
    [1, true],
    [3, true],
    [5, false],
    [8, false],
  ])("%i of them add up their parts and gather the sums (direct: %s)", async (shards, direct) => {
    const gathered = await onShards(
      shards,
      async (group) => {
        // What shard s has for an owner begins as 100 s + owner.
        const sums = Float64Array.from({ length: shards }, (_, owner) => 100 * group.shard + owner);
        await group.reduce(
          (owner) => new Uint8Array(sums.slice(owner, owner + 1).buffer),
          (owner, bytes) => {
            sums[owner] += new Float64Array(bytes.slice().buffer)[0];
          },
        );
        return group.gatherNumbers([sums[group.shard]]);
      },
      { direct },
    );
    const ofAll = (100 * shards * (shards - 1)) / 2;
    for (const sums of gathered) {
      expect(sums.map(([sum]) => sum)).toEqual(
        Array.from({ length: shards }, (_, owner) => ofAll + shards * owner),
      );
    }
  });
});
