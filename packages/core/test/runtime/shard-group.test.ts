import { describe, expect, it } from "vitest";
import { memoryExchange } from "#core/runtime/exchange.js";
import { ShardGroup } from "#core/runtime/shard-group.js";

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
  it.each([1, 2, 3, 7])(
    "%i of them stream messages of any number to each other, in order",
    async (shards) => {
      const received = await onShards(shards, async (group) => {
        const lists = Array.from({ length: shards }, (): number[][] => []);
        // Shard s sends s + to messages to shard `to`.
        await group.stream(
          (to) => Array.from({ length: group.shard + to }, (_, k) => Uint8Array.of(group.shard, to, k)),
          async (from, messages) => {
            for await (const message of messages) lists[from].push([...message]);
          },
        );
        return lists;
      });
      for (const [to, lists] of received.entries()) {
        for (const [from, messages] of lists.entries()) {
          expect(messages).toEqual(Array.from({ length: from + to }, (_, k) => [from, to, k]));
        }
      }
    },
  );

  it("may stream while it does other work", async () => {
    const results = await onShards(3, async (group) => {
      let bytes = 0;
      const read = async (_: number, messages: AsyncIterable<Uint8Array>) => {
        for await (const message of messages) bytes += message.length;
      };
      const first = group.stream(() => [new Uint8Array(5)], read);
      const second = group.stream(() => [new Uint8Array(7)], read);
      const gathered = await group.gatherNumbers([group.shard]);
      await Promise.all([first, second]);
      return [bytes, ...gathered.map(([shard]) => shard)];
    });
    expect(results).toEqual([
      [36, 0, 1, 2],
      [36, 0, 1, 2],
      [36, 0, 1, 2],
    ]);
  });

  it("relays numbers in the order of the shards", async () => {
    const results = await onShards(4, (group) =>
      group.relay(Float64Array.of(1), async (numbers) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        numbers[0] = 10 * numbers[0] + group.shard;
      }),
    );
    expect(results.map(([number]) => number)).toEqual([10, 101, 1012, 10123]);
  });

  it.each([
    [1, true],
    [3, true],
    [5, false],
    [7, false],
  ])("%i of them add up more numbers than fit in a message", async (shards, direct) => {
    const length = 2 ** 17 + 11;
    const sums = await onShards(
      shards,
      (group) => group.sum(Float64Array.from({ length }, (_, i) => i * (group.shard + 1))),
      { direct },
    );
    const factor = (shards * (shards + 1)) / 2;
    for (const sum of sums) {
      expect(sum.length).toBe(length);
      expect(sum.every((value, i) => value === i * factor)).toBe(true);
    }
  });
});
