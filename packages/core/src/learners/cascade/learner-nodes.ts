import { binMatrix } from "../../encode/bin-matrix.js";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import { type Features, Sample } from "../../encode/sample.js";
import { Random } from "../../runtime/maths/random.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Learner } from "../learner.js";
import type { LeafClassifier } from "./cascade-level.js";
import { choiceFamilies, type NodeData, thresholdGates } from "./cascade-nodes.js";
import type { ClassLabels } from "./class-machines.js";
import { bestOther, modelScores } from "./evaluate-cascade.js";
import { ALL_CONVERGED } from "./node-machine.js";
import {
  type NodeRequest,
  type NodeTrainer,
  type TrainedGate,
  type TrainedNode,
  without,
} from "./sub-problems.js";
import { bestConstant, CascadeRows } from "./thresholds.js";

/** Draws of labels for the complexity of a learner. */
const DRAWS = 3;

/** Estimated milliseconds of a fit, so that each is a task of its own. */
const LONG = 1000;

/** A learner's reasons to refuse rows for which a constant is the best classifier. */
const TOO_FEW: readonly string[] = ["data/too-few-rows", "data/one-class", "data/no-rows"];

/** Fits a learner at leaves. Its fits run one after the other, each on all threads of the run. */
export class LeafLearner {
  readonly #learner: Learner;
  readonly #sample: Sample;
  readonly #run: Run;
  /** The binned features, if the learner takes them. */
  readonly #binned: BinnedColumns | undefined;

  constructor(learner: Learner, sample: Sample, run: Run) {
    this.#learner = learner;
    this.#sample = sample;
    this.#run = run;
    const { encoding } = learner;
    if (encoding.kind !== "binned") return;
    this.#binned = binMatrix(sample.features, encoding.maxBins, sample.featureNames);
  }

  get bins(): BinnedColumns["features"] | undefined {
    return this.#binned?.features;
  }

  /** Fits a classifier to some rows of the sample, and counts those that it gets right; a tie is wrong. */
  async fit(
    rows: Int32Array,
    { labels, classes }: ClassLabels,
  ): Promise<{ readonly classifier: LeafClassifier; readonly correct: number }> {
    const own = Int32Array.from(rows, (row) => labels[row]);
    const model = await this.#model(rows, own);
    if (!model) {
      const { classifier, errors } = bestConstant(new CascadeRows(rows, { labels, classes }));
      return { classifier, correct: rows.length - errors };
    }
    const scores = modelScores(model, this.#features(rows));
    const correct = own.filter((label, i) => scores.row(i)[label] > bestOther(scores.row(i), label)).length;
    return { classifier: { kind: "model", model, binned: this.#binned !== undefined }, correct };
  }

  /**
   * Estimates the complexity of the learner's models on some rows by fitting random labels: for random signs σ, a row with σ =
   * 1 keeps its class and one with σ = −1 gets another, and the mean of σ_i b_i says how well a fit can follow the signs. A
   * fit need not find the best one, so this is below R̂_S: it guides the search and proves nothing.
   */
  async complexity(rows: Int32Array, { labels, classes }: ClassLabels): Promise<number> {
    const random = new Random(this.#run.seed);
    let sum = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      const drawn = labels.slice();
      for (const row of rows) {
        if (random.uniform() < 0.5) drawn[row] = (labels[row] + 1 + random.integer(classes - 1)) % classes;
      }
      // If the drawn class is predicted, b_i has the sign σ_i.
      const { correct } = await this.fit(rows, { labels: drawn, classes });
      sum += Math.max(0, (2 * correct) / rows.length - 1);
    }
    return Math.min(1, sum / DRAWS);
  }

  async #model(rows: Int32Array, labels: Int32Array) {
    const { classes, featureNames } = this.#sample;
    const { seed, executor, signal } = this.#run;
    if (labels.every((label) => label === labels[0])) return undefined;
    const sample = new Sample<Features>({ features: this.#features(rows), labels, classes, featureNames });
    try {
      return await this.#learner.fit(sample, { seed, executor, signal });
    } catch (error) {
      if (error instanceof VouchError && TOO_FEW.includes(error.code)) return undefined;
      throw error;
    }
  }

  #features(rows: Int32Array) {
    return this.#binned ? this.#binned.select(rows) : this.#sample.features.select(rows);
  }
}

/** Trains the nodes whose leaves are models of a learner, and passes all others on. */
export class LearnerNodes implements NodeTrainer {
  readonly #others: NodeTrainer;
  readonly #data: NodeData;
  readonly #leaf: LeafLearner;
  readonly #run: Run;

  constructor(others: NodeTrainer, data: NodeData, leaf: LeafLearner, run: Run) {
    this.#others = others;
    this.#data = data;
    this.#leaf = leaf;
    this.#run = run;
  }

  /** A fit takes all threads, so nodes are not trained in advance. */
  get threads(): number {
    return 1;
  }

  milliseconds(request: NodeRequest): number {
    return this.#isOwn(request) ? LONG : this.#others.milliseconds(request);
  }

  async train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]> {
    const trained: TrainedNode[] = [];
    for (const request of requests) {
      if (this.#isOwn(request)) trained.push(await this.#node(request));
      else trained.push(...(await this.#others.train([request])));
    }
    return trained;
  }

  #isOwn({ choice }: NodeRequest): boolean {
    return this.#data.leaves[choiceFamilies(choice, this.#data).leaf].kind === "learner";
  }

  async #node({ rows, choice, gated }: NodeRequest): Promise<TrainedNode> {
    const { gate } = choiceFamilies(choice, this.#data);
    const found = gated ? thresholdGates(rows, gate, this.#data) : [];
    const counts = async (own: Int32Array) => {
      await checkpoint(this.#run);
      const { correct } = await this.#leaf.fit(own, this.#data);
      return { correct, wrong: own.length - correct, norm: 0 };
    };
    const whole = await counts(rows);
    const gates: TrainedGate[] = [];
    for (const [fraction, own] of found.entries()) {
      if (own) gates.push({ fraction, rows: own.on, ...(await counts(without(rows, own.on))) });
    }
    return { ...whole, gates, unconverged: ALL_CONVERGED, unconvergedGates: ALL_CONVERGED };
  }
}
