import { expect, it } from "vitest";
import { alternate, type NodeProblem } from "#core/learners/hierarchy/search-colours.js";
import { solveNode } from "#core/learners/hierarchy/solve-node.js";
import { kernelMatrix } from "#core/learners/kernel/kernel-matrix.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { noisyBlobs } from "../svm/noisy-blobs.js";

/** Lists every colouring with both sides and a sum within ±B. */
function colourings(classes: number, balance: number): Int8Array[] {
  const found: Int8Array[] = [];
  for (let code = 0; code < 3 ** classes; code++) {
    const colours = Int8Array.from({ length: classes }, (_, k) => (Math.floor(code / 3 ** k) % 3) - 1);
    const sum = colours.reduce((total, colour) => total + colour, 0);
    if (Math.abs(sum) <= balance && colours.includes(1) && colours.includes(-1)) found.push(colours);
  }
  return found;
}

it("never increases the objective, never beats the best colouring, and finds it from some start", async () => {
  const { features, labels, rows } = noisyBlobs(80, 2, 4, 3);
  const kernel = await kernelMatrix(features, { kind: "rbf", gamma: 0.5 }, { executor: inlineExecutor() });
  const setup = {
    kind: "kernel",
    values: kernel,
    tolerance: 1e-6,
    maxIterations: 1e6,
  } as const;
  const costs = new Float64Array(rows).fill(1);
  const all = Int32Array.from(labels.keys());
  const train = (signs: Int8Array) => solveNode(setup, { rows: all, labels: signs, costs }, () => undefined);
  for (const rho of [0.05, 0.3, 0.6]) {
    const problem: NodeProblem = { classes: 4, classOf: labels, costs, rho, balance: 1, maxAlternations: 20 };
    const candidates = colourings(4, 1);
    const objectives: number[] = [];
    for (const colours of candidates) {
      // With a single alternation, the objective is that of the given colours.
      const { objective } = await alternate({ ...problem, maxAlternations: 1 }, colours, train);
      objectives.push(objective);
    }
    const best = Math.min(...objectives);
    let reached = 0;
    for (const [i, colours] of candidates.entries()) {
      const { objective } = await alternate(problem, colours, train);
      expect(objective).toBeLessThanOrEqual(objectives[i] + 1e-9);
      expect(objective).toBeGreaterThanOrEqual(best - 1e-4 * Math.abs(best));
      if (objective <= best + 1e-4 * Math.abs(best)) reached++;
    }
    expect(reached).toBeGreaterThan(1);
  }
  kernel.release();
});
