import { NODE_WORDS, SET_WORDS } from "../../runtime/kernels.js";
import { malformed, type ShardGroup } from "../../runtime/shard-group.js";
import { sharedInts } from "../../runtime/shared-array.js";
import type { PooledTree } from "./tree-pool.js";

/** Words of a message: a megabyte. */
const WORDS_PER_MESSAGE = 2 ** 18;

/** Numbers of a tree in the first message: its number, and those of its nodes, sets and shares. */
const FACTS = 4;

/**
 * Sends the trees that this shard has grown to all others, and returns those of all shards.
 *
 * @param expected the numbers of the trees that each shard has grown
 * @param mostLeaves no tree has more leaves
 */
export async function shareTrees(
  own: readonly PooledTree[],
  expected: readonly (readonly number[])[],
  mostLeaves: number,
  group: ShardGroup,
): Promise<PooledTree[]> {
  const all: PooledTree[] = [];
  await group.stream(
    (to) => (to === group.shard ? [] : treeMessages(own)),
    async (from, messages) => {
      if (from === group.shard) all.push(...own);
      else all.push(...(await readTrees(messages, expected[from], mostLeaves, from)));
    },
  );
  return all;
}

function* treeMessages(trees: readonly PooledTree[]): Generator<Uint8Array> {
  if (trees.length === 0) return;
  const facts = trees.flatMap(({ index, nodes, sets, shares }) => [index, nodes, sets, shares]);
  yield new Uint8Array(Int32Array.from(facts).buffer);
  for (const { words } of trees) {
    for (let begin = 0; begin < words.length; begin += WORDS_PER_MESSAGE) {
      // Copies: not every exchange takes shared memory.
      yield new Uint8Array(Int32Array.from(words.subarray(begin, begin + WORDS_PER_MESSAGE)).buffer);
    }
  }
}

async function readTrees(
  messages: AsyncIterable<Uint8Array>,
  expected: readonly number[],
  mostLeaves: number,
  from: number,
): Promise<PooledTree[]> {
  let trees: PooledTree[] | undefined;
  let tree = 0;
  let at = 0;
  for await (const message of messages) {
    if (!trees) {
      trees = treesToRead(message, expected, mostLeaves, from);
      continue;
    }
    const words = trees[tree]?.words;
    const count = Math.min(WORDS_PER_MESSAGE, (words?.length ?? 0) - at);
    if (!words || message.length !== 4 * count) throw malformed(from);
    words.set(new Int32Array(message.slice().buffer), at);
    at += count;
    if (at < words.length) continue;
    tree++;
    at = 0;
  }
  if (tree !== expected.length || at > 0) throw malformed(from);
  return trees ?? [];
}

/** Allocates the trees that a first message announces, unless they are not those that are expected. */
function treesToRead(
  message: Uint8Array,
  expected: readonly number[],
  mostLeaves: number,
  from: number,
): PooledTree[] {
  if (message.length !== 4 * FACTS * expected.length) throw malformed(from);
  const facts = new Int32Array(message.slice().buffer);
  return expected.map((number, k) => {
    const [index, nodes, sets, shares] = facts.subarray(FACTS * k, FACTS * (k + 1));
    const isRight = (count: number, least: number) => count >= least && count < 2 * mostLeaves;
    if (index !== number || !isRight(nodes, 1) || !isRight(sets, 0) || !isRight(shares, 0)) {
      throw malformed(from);
    }
    const words = sharedInts(nodes * NODE_WORDS + sets * SET_WORDS + 2 * shares);
    return { index, nodes, sets, shares, words };
  });
}
