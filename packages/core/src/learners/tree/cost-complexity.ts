/**
 * Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984, chapter 3).
 * A subtree T of a grown tree keeps its root and replaces some of its branches by leaves. With the risk R(T), a sum over its
 * leaves, and |T| leaves, its cost is
 *
 *     R_α(T) = R(T) + α |T|.
 *
 * For every α there is a smallest subtree T(α) of minimal cost, and T(α) shrinks as α grows (theorem 3.10): finitely many
 * subtrees T_1 ⊃ T_2 ⊃ … ⊃ {root} are minimal for α from 0 = α_1 < α_2 < … on.
 */

/** A grown tree, as pruning sees it. */
export interface PrunableTree {
  /** Left child of each node, which the right one follows; 0 for leaves. Children come after their parent. */
  readonly left: Int32Array;
  /** R(t) ≥ 0: the risk of each node as a leaf. */
  readonly risks: Float64Array;
}

/** The range of α in which each node is a leaf of T(α): from `from` to below `to`; never if they are equal. */
export interface LeafRanges {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/**
 * Finds for each node t the α from which on it is a leaf, unless a node above it is: the smallest α at which
 * R(t) + α ≤ the minimal cost of the branch T_t. With g(t) = (R(t) − R(T_t)) / (|T_t| − 1) this is the g of the weakest link.
 *
 * The minimal cost of a branch is concave and piecewise linear in α, with a breakpoint where a node below becomes a leaf. Coming
 * from α = ∞, where both children are leaves, the largest breakpoints are undone until the line R(t) + α is reached before the
 * next one. A breakpoint that is undone lies in no minimal subtree, so each is undone once: n log n steps for n nodes.
 */
export function leafRanges({ left, risks }: PrunableTree): LeafRanges {
  const from = new Float64Array(left.length);
  const heaps = new BreakpointHeaps(from);
  const heapOf = new Int32Array(left.length).fill(NONE);
  // Growth of risk and number of leaves if a node's branch is put back in its place.
  const riskGrowth = new Float64Array(left.length);
  const leafGrowth = new Int32Array(left.length);
  for (let node = left.length - 1; node >= 0; node--) {
    const child = left[node];
    if (child === 0) continue;
    let heap = heaps.meld(heapOf[child], heapOf[child + 1]);
    let risk = risks[child] + risks[child + 1];
    let leaves = 2;
    let alpha = (risks[node] - risk) / (leaves - 1);
    while (heap !== NONE && from[heap] > alpha) {
      risk += riskGrowth[heap];
      leaves += leafGrowth[heap];
      heap = heaps.withoutTop(heap);
      alpha = (risks[node] - risk) / (leaves - 1);
    }
    // Rounding may take a split that gains nothing below zero.
    from[node] = Math.max(0, alpha);
    riskGrowth[node] = risk - risks[node];
    leafGrowth[node] = leaves - 1;
    heapOf[node] = heaps.withTop(node, heap);
  }
  return { from, to: endsOf(left, from) };
}

/** Finds where each node stops being a leaf: where the first node above it becomes one. */
function endsOf(left: Int32Array, from: Float64Array): Float64Array {
  const to = new Float64Array(left.length);
  to[0] = Number.POSITIVE_INFINITY;
  for (let node = 0; node < left.length; node++) {
    if (left[node] === 0) continue;
    const end = Math.min(from[node], to[node]);
    to[left[node]] = end;
    to[left[node] + 1] = end;
  }
  for (let node = 0; node < left.length; node++) to[node] = Math.max(to[node], from[node]);
  return to;
}

const NONE = -1;

/** Heaps of nodes with the largest α on top: leftist heaps, which are melded in log n steps. */
class BreakpointHeaps {
  readonly #alphas: Float64Array;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  /** Length of the chain of second children. */
  readonly #rank: Int32Array;

  constructor(alphas: Float64Array) {
    this.#alphas = alphas;
    this.#first = new Int32Array(alphas.length).fill(NONE);
    this.#second = new Int32Array(alphas.length).fill(NONE);
    this.#rank = new Int32Array(alphas.length);
  }

  /** Melds two heaps, each given by its top; the recursion goes down second children only, at most log₂ n. */
  meld(a: number, b: number): number {
    if (a === NONE) return b;
    if (b === NONE) return a;
    const [top, other] = this.#alphas[a] >= this.#alphas[b] ? [a, b] : [b, a];
    const melded = this.meld(this.#second[top], other);
    const first = this.#first[top];
    const isLonger = first === NONE || this.#rank[melded] > this.#rank[first];
    this.#first[top] = isLonger ? melded : first;
    this.#second[top] = isLonger ? first : melded;
    this.#rank[top] = 1 + (this.#second[top] === NONE ? 0 : this.#rank[this.#second[top]]);
    return top;
  }

  withoutTop(top: number): number {
    return this.meld(this.#first[top], this.#second[top]);
  }

  /** Puts a node on a heap that has no larger α. */
  withTop(node: number, heap: number): number {
    this.#first[node] = heap;
    this.#rank[node] = 1;
    return node;
  }
}

/** The nested minimal subtrees T_1 ⊃ T_2 ⊃ … of a tree. */
export interface PruningPath {
  /** α_1 = 0 < α_2 < …: subtree k is minimal from α_k to below α_{k+1}. */
  readonly alphas: Float64Array;
  /** For each quantity, its sum over the leaves of each subtree. */
  readonly sums: readonly Float64Array[];
}

/** Lists the minimal subtrees of a tree, and sums quantities of nodes over the leaves of each. */
export function pruningPath({ from, to }: LeafRanges, quantities: readonly ArrayLike<number>[]): PruningPath {
  const distinct = new Set<number>([0]);
  for (let node = 0; node < from.length; node++) if (from[node] < to[node]) distinct.add(from[node]);
  const alphas = Float64Array.from(distinct).sort();
  const sums = quantities.map(() => new Float64Array(alphas.length));
  for (let node = 0; node < from.length; node++) {
    if (!(from[node] < to[node])) continue;
    const begin = subtreeAt(alphas, from[node]);
    const end = to[node] === Number.POSITIVE_INFINITY ? alphas.length : subtreeAt(alphas, to[node]);
    quantities.forEach((values, q) => {
      sums[q][begin] += values[node];
      if (end < alphas.length) sums[q][end] -= values[node];
    });
  }
  for (const sum of sums) for (let k = 1; k < sum.length; k++) sum[k] += sum[k - 1];
  return { alphas, sums };
}

/** Finds the subtree that is minimal at α ≥ 0: the last one with α_k ≤ α. */
export function subtreeAt(alphas: Float64Array, alpha: number): number {
  let low = 0;
  let high = alphas.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (alphas[middle] <= alpha) low = middle;
    else high = middle - 1;
  }
  return low;
}
