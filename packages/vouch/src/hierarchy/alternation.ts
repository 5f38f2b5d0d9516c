import { optimalColouring } from "./colouring.js";
import type { Machine } from "./machine.js";

/** The problem of a node: which of its classes to tell apart, and by which machine. */
export interface NodeProblem {
  /** How many classes the node has. */
  readonly classes: number;
  /** Which of them each row is of. */
  readonly classOf: Int32Array;
  /** C of each row. */
  readonly costs: Float64Array;
  /** ρ = A/C */
  readonly rho: number;
  /** B */
  readonly balance: number;
  readonly maxAlternations: number;
}

/** Colours of the classes of a node, and what the objective is at the machine trained for them. */
export interface FoundColours {
  readonly colours: Int8Array;
  readonly objective: number;
}

/** Colourings whose cost differs by less than this part count as the same. */
const ROUNDING = 1e-9;

/**
 * Minimises ½‖w‖² + Σᵢ 1{μ ≠ 0} C(ξᵢ − ρ) over machine and colours in turn: with colours fixed it is a support vector
 * machine on the classes that take part, with the machine fixed the colouring problem. Where the values are those of the
 * rows that the machine was trained on, neither makes it larger; where they come from other rows that may happen, so the
 * best that was seen is kept. It ends when the colours stay, at the latest after `maxAlternations`.
 */
export async function alternate(
  problem: NodeProblem,
  start: Int8Array,
  train: (labels: Int8Array) => Promise<Pick<Machine, "values" | "regulariser">>,
): Promise<FoundColours> {
  const { classOf, balance, maxAlternations } = problem;
  let best: FoundColours = { colours: start, objective: Number.POSITIVE_INFINITY };
  let colours = start;
  for (let turn = 0; turn < maxAlternations; turn++) {
    const { values, regulariser } = await train(Int8Array.from(classOf, (k) => colours[k]));
    const costs = colourCosts(problem, values);
    const cost = colours.reduce((sum, colour, k) => sum + costOf(costs, k, colour), 0);
    const objective = regulariser / 2 + cost;
    if (objective < best.objective) best = { colours, objective };
    const next = optimalColouring({ ...costs, balance });
    if (!next || next.cost >= cost - ROUNDING * Math.abs(cost)) break;
    colours = next.colours;
  }
  return best;
}

/** f_k(−1) and f_k(+1) of each class: Σ C(ξ − ρ) over its rows if it were on that side. */
function colourCosts({ classes, classOf, costs, rho }: NodeProblem, values: Float64Array) {
  const negative = new Array<number>(classes).fill(0);
  const positive = new Array<number>(classes).fill(0);
  for (let i = 0; i < values.length; i++) {
    negative[classOf[i]] += costs[i] * (Math.max(0, 1 + values[i]) - rho);
    positive[classOf[i]] += costs[i] * (Math.max(0, 1 - values[i]) - rho);
  }
  return { negative, positive };
}

function costOf({ negative, positive }: ReturnType<typeof colourCosts>, k: number, colour: number): number {
  if (colour === 0) return 0;
  return colour < 0 ? negative[k] : positive[k];
}
