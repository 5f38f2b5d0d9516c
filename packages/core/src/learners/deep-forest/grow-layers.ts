import type { Matrix } from "../../runtime/maths/matrix.js";
import { seedAt } from "../../runtime/maths/random.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { formatPercent } from "../../runtime/text/number-format.js";
import { kFold } from "../../table/splits.js";
import { logFamilySizes, type TreeBlock } from "../../theory/vc/tree-count.js";
import { marginsOf } from "../scores.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { type BlockMember, type BlockRows, fitBlock, type TrainingRows, treeWeights } from "./block.js";
import type { Layer } from "./deep-forest-parts.js";
import { LayerInput, layerColumns, meanOf } from "./layer-input.js";
import { type Cascade, type LayerOutput, layerOutput, passedOn } from "./layer-output.js";
import { accuracyOf, LayerSum, weighLayer } from "./layer-sum.js";
import { AdditiveMargins, bestAlpha, type MarginLoss, reweighted } from "./margin-loss.js";
import type { Member } from "./members.js";
import { probeLayer } from "./probe.js";

/** How layers are grown. */
export interface CascadePlan extends Cascade {
  readonly members: readonly Member[];
  /** Maximum number of layers. */
  readonly layers: number;
  /** Layers in a row without a better out-of-fold accuracy before growing stops. */
  readonly patience: number;
  /** A layer counts as better if the accuracy rises by more than this. */
  readonly improvement: number;
  readonly folds: number;
  /** The losses that α_t may minimise in an additive model; the training rows choose one for each layer. */
  readonly losses: readonly MarginLoss[];
  /** Whether layers of an additive model are grown with weights by loss; auto lets a probe decide. */
  readonly reweight: "always" | "never" | "auto";
}

/** Grows layers as long as they improve the out-of-fold accuracy, and returns those up to the best. */
export async function growLayers(rows: TrainingRows, plan: CascadePlan, run: Run): Promise<Layer[]> {
  using base = await runOnThreads(TreeColumns.copy(rows.features), run);
  const growth = new LayerGrowth(rows, base, plan, run);
  let best = 0;
  while (growth.layers.length < plan.layers && growth.layers.length - best <= plan.patience) {
    await growth.grow();
    const last = growth.layers.length - 1;
    const gain = growth.layers[last].outOfFoldAccuracy - growth.layers[best].outOfFoldAccuracy;
    if (gain > plan.improvement) best = last;
  }
  return growth.finished(best + 1);
}

/** A layer as the newest of the model. */
interface Addition {
  readonly alpha: number;
  readonly loss?: MarginLoss;
  readonly margins: AdditiveMargins;
  readonly accuracy: number;
}

/** The layers so far, and the state that the next one needs. */
class LayerGrowth {
  readonly layers: Layer[] = [];
  readonly #rows: TrainingRows;
  readonly #base: TreeColumns;
  readonly #plan: CascadePlan;
  readonly #run: Run;
  readonly #blocks: (TreeBlock | undefined)[] = [];
  #margins: AdditiveMargins;
  #output: LayerOutput | undefined;
  /** D_t. */
  #distribution: Float64Array;
  #reweights: boolean | undefined;

  constructor(rows: TrainingRows, base: TreeColumns, plan: CascadePlan, run: Run) {
    this.#rows = rows;
    this.#base = base;
    this.#plan = plan;
    this.#run = run;
    this.#margins = AdditiveMargins.none(rows.labels.length);
    this.#distribution = rows.distribution;
    this.#reweights = plan.additive && plan.reweight === "auto" ? undefined : plan.reweight === "always";
  }

  async grow(): Promise<void> {
    const t = this.layers.length;
    const input = await this.#input();
    {
      using columns = await runOnThreads(layerColumns(input, this.#base), this.#run);
      if (t > 0) await this.#chooseWeights(input, columns);
      const block = await this.#fit(input, columns);
      await this.#add(input, block);
    }
    this.#report();
  }

  /** Returns the first layers; in a plain cascade the last of them predicts. */
  finished(count: number): Layer[] {
    const blocks = this.#blocks.slice(0, count).filter((block) => block !== undefined);
    const sizes = blocks.length === count ? logFamilySizes(blocks) : [];
    return this.layers.slice(0, count).map((layer, t) => ({
      ...layer,
      alpha: this.#plan.additive || t === count - 1 ? layer.alpha : 0,
      ...(sizes.length > 0 && { logFamilySize: sizes[t] }),
    }));
  }

  async #input(): Promise<LayerInput> {
    const { features } = this.#rows;
    const { passesOn, keepsFeatures } = this.#plan;
    if (!this.#output) return LayerInput.first(features);
    const predictions = passedOn(passesOn, this.#output);
    return await runOnThreads(LayerInput.later(keepsFeatures ? features : undefined, predictions), this.#run);
  }

  async #fit(input: LayerInput, columns: TreeColumns): Promise<BlockMember[]> {
    const { members, folds } = this.#plan;
    const t = this.layers.length;
    const splits = kFold(this.#rows.labels, folds, seedAt(this.#run.seed, t, 0)).folds;
    const run = { ...this.#layerRun(), seed: seedAt(this.#run.seed, t, 1) };
    return await fitBlock(this.#blockRows(input, columns, this.#distribution), members, splits, run);
  }

  #blockRows(input: LayerInput, columns: TreeColumns, distribution: Float64Array): BlockRows {
    const { labels, classes } = this.#rows;
    const weights = treeWeights(distribution);
    return { input, columns, labels, classes, ...(weights && { weights }) };
  }

  async #add(input: LayerInput, block: readonly BlockMember[]): Promise<void> {
    const { passesOn, additive } = this.#plan;
    const vectors = block.map(({ outOfFold }) => outOfFold);
    const wasReweighted = this.#distribution !== this.#rows.distribution;
    const mean = meanOf(vectors);
    const { alpha, loss, margins, accuracy } = await this.#addition(mean);
    if (additive) this.#margins = margins;
    this.#output = layerOutput(this.#output, vectors, alpha, passesOn, mean);
    this.#blocks.push(this.#treeBlock(input));
    this.layers.push({
      columns: input.bins.length,
      passedOn: input.predictions?.features ?? [],
      members: block.map(({ member }) => member),
      alpha,
      ...(loss && { loss }),
      reweighted: wasReweighted,
      outOfFoldAccuracy: accuracy,
      margins: margins.values,
    });
  }

  /**
   * Adds a layer with mean class vectors h to the model. In an additive model the loss is the one whose α_t makes the best
   * model; ties go to the first.
   */
  async #addition(h: Matrix): Promise<Addition> {
    const { labels, distribution } = this.#rows;
    const gamma = marginsOf(h, labels);
    if (!this.#plan.additive) {
      const margins = AdditiveMargins.none(labels.length).plus(gamma, 1);
      return { alpha: 1, margins, accuracy: accuracyOf(h, labels, distribution) };
    }
    const model = { margins: this.#margins, sum: this.#output?.sum, h, gamma, labels, distribution };
    const weighted = await weighLayer(model, this.#plan.losses, this.#run);
    const { loss, alpha, accuracy } = weighted.reduce((best, other) =>
      other.accuracy > best.accuracy ? other : best,
    );
    const margins = this.#margins.plus(gamma, alpha);
    return { alpha, loss, margins, accuracy };
  }

  /** Chooses D_t of Algorithm 2 or the weights of the rows. For `auto`, a probe decides before the second layer. */
  async #chooseWeights(input: LayerInput, columns: TreeColumns): Promise<void> {
    const { distribution } = this.#rows;
    const loss = this.layers.at(-1)?.loss;
    if (!loss) return;
    const own = reweighted(this.#margins.values, distribution, loss);
    this.#reweights ??= await this.#isWorthIt(input, columns, own, loss);
    this.#distribution = this.#reweights ? own : distribution;
  }

  /**
   * Tells whether a small layer with these weights improves the model more than one without. Returns true without forests to
   * try it with, as in the paper.
   */
  async #isWorthIt(
    input: LayerInput,
    columns: TreeColumns,
    weights: Float64Array,
    loss: MarginLoss,
  ): Promise<boolean> {
    if (!this.#plan.members.some(({ kind }) => kind === "forest")) return true;
    const withWeights = await this.#probe(input, columns, weights, loss);
    return withWeights > (await this.#probe(input, columns, this.#rows.distribution, loss));
  }

  /** Measures the out-of-fold accuracy, on some rows, of the model with one more small layer grown with these weights. */
  async #probe(
    input: LayerInput,
    columns: TreeColumns,
    weights: Float64Array,
    loss: MarginLoss,
  ): Promise<number> {
    const { members, folds } = this.#plan;
    const run = { ...this.#layerRun(), seed: seedAt(this.#run.seed, this.layers.length, 2) };
    const { rows, h } = await probeLayer(this.#blockRows(input, columns, weights), members, folds, run);
    const labels = rows.map((row) => this.#rows.labels[row]);
    const distribution = Float64Array.from(rows, (row) => this.#rows.distribution[row]);
    const alpha = bestAlpha(this.#margins.select(rows), marginsOf(h, labels), distribution, loss);
    const sum = LayerSum.of(this.#output?.sum.select(rows), h, alpha);
    return accuracyOf(sum.mean, labels, distribution);
  }

  /** Describes the trees that the layer could have had, for bounds that count them; undefined if it has other members. */
  #treeBlock({ bins }: LayerInput): TreeBlock | undefined {
    const { members, folds } = this.#plan;
    const { labels, classes } = this.#rows;
    let trees = 0;
    let leaves = 1;
    for (const member of members) {
      if (member.kind !== "forest") return undefined;
      trees += member.trees * folds;
      const { minLeafRows } = member.growth(bins.length);
      leaves = Math.max(leaves, Math.floor(labels.length / minLeafRows));
    }
    return { trees, leaves, features: bins, classes: classes.length };
  }

  /** Returns a run whose progress names the next layer. */
  #layerRun(): Run {
    const { progress } = this.#run;
    const layer = this.layers.length + 1;
    const note = this.#note();
    return {
      ...this.#run,
      progress: ({ stage, ...rest }) =>
        progress({ ...rest, stage: `layer ${layer}: ${stage}`, ...(note && { note }) }),
    };
  }

  #report(): void {
    const note = this.#note();
    const { length: done } = this.layers;
    this.#run.progress({ stage: "layers", done, total: this.#plan.layers, ...(note && { note }) });
  }

  #note(): string | undefined {
    const last = this.layers.at(-1);
    return last && `out-of-fold accuracy ${formatPercent(last.outOfFoldAccuracy)}`;
  }
}
