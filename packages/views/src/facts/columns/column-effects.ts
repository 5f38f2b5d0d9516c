import type { Features } from "@vouch/core/internal/encode/sample";
import { type PartialEffect, partialEffects } from "@vouch/core/internal/explain/effects";
import { type TextEffect, wordEffects } from "@vouch/core/internal/explain/word-effects";
import { outputKind } from "@vouch/core/internal/metrics/decision";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import type { Training } from "@vouch/core/internal/train/training";
import type { MeasuredImportance, UnmeasuredImportance } from "./column-importance.js";

/** Curves of the most important columns, and the classes whose scores they show. */
export interface ColumnEffects {
  readonly effects: readonly PartialEffect[];
  /** Effects of words in the most important text columns. */
  readonly texts: readonly TextEffect[];
  readonly classes: readonly string[];
  /** Indices of the classes to show: the positive one of two, or the most frequent ones. */
  readonly shown: readonly number[];
  readonly scoring: "probability" | "decision";
}

/** Number of columns to show, and the number for a slow model. */
const COLUMNS = 6;
const COLUMNS_OF_SLOW = 2;

/** Number of columns to show even if chance may explain their importance, as long as some column matters. */
const AT_LEAST = 4;

/** Number of classes to show if there are more than two. */
const CLASSES = 4;

/** Computes the effects of the most important columns; none if no column matters or importance was not measured. */
export async function columnEffects(
  { classifier, tables, samples }: Training,
  importance: MeasuredImportance | UnmeasuredImportance,
  run: Partial<Omit<Run, "seed">>,
): Promise<ColumnEffects | undefined> {
  if ("reason" in importance) return undefined;
  if (!importance.features.some(({ matters }) => matters)) return undefined;
  const columns = importance.features
    .filter(({ mean }) => mean > 0)
    .sort((a, b) => b.mean - a.mean)
    .filter(({ matters }, rank) => matters || rank < AT_LEAST)
    .slice(0, importance.slow ? COLUMNS_OF_SLOW : COLUMNS)
    .map(({ feature }) => feature);
  const { model, encoder, card, decision } = classifier;
  const rows = tables.heldOut ?? tables.training;
  const { calibrator } = decision;
  const scored = {
    classes: model.classes,
    scores: (features: Features) => {
      const scores = model.scores(features);
      return calibrator ? calibrator.probabilities(scores) : scores;
    },
  };
  const isText = (name: string) =>
    encoder.schema.columns.some((own) => own.name === name && own.kind === "text");
  const own = { ...run, seed: card.seed };
  const others = columns.filter((name) => !isText(name));
  return {
    effects: await partialEffects(scored, encoder, rows, { columns: others }, own),
    texts: await wordEffects(scored, encoder, rows, columns.filter(isText), own),
    classes: model.classes,
    shown: shownClasses(samples.training, card.objective?.positive),
    scoring: outputKind(decision, model),
  };
}

/** Lists the positive class of two, or the most frequent classes of several. */
function shownClasses({ labels, classes }: Training["samples"]["training"], positive = 1): number[] {
  if (classes.length === 2) return [positive];
  const counts = new Array<number>(classes.length).fill(0);
  for (const label of labels) counts[label]++;
  return Array.from(counts.keys())
    .sort((a, b) => counts[b] - counts[a])
    .slice(0, CLASSES)
    .sort((a, b) => a - b);
}
