import {
  type Card,
  type Certificate,
  type Classifier,
  certify,
  type Column,
  isGrave,
  numberAt,
  type Verdict,
  verdictInWords,
} from "vouch/train";
import type { AskField, ModelOverview } from "./protocol.js";

/** Summarises a classifier for the page; what only its training knows is added by the caller. */
export function modelOverview(
  classifier: Classifier<Card>,
  certificates: readonly Certificate[] = certify(classifier),
): ModelOverview {
  const { card, encoder } = classifier;
  const { target, classes } = encoder.schema;
  const confusion = card.heldOut?.confusion;
  const [quoted] = certificates;
  return {
    learner: card.learner,
    options: card.options,
    data: card.data.name,
    rows: card.data.rows,
    target,
    classes,
    ...(card.verdict && { verdict: verdictFacts(card.verdict) }),
    ...(quoted && { certificate: quoted.statement }),
    notices: card.notices,
    ...(confusion && { confusion }),
    fields: askFields(classifier),
  };
}

function verdictFacts(verdict: Verdict): NonNullable<ModelOverview["verdict"]> {
  const { verdict: sentence, found, ranking } = verdictInWords(verdict);
  return {
    better: verdict.better,
    words: [sentence, found ?? [], ranking ?? []].flat(),
    warnings: verdict.warnings.map((warning) => ({ message: warning.message, grave: isGrave(warning) })),
  };
}

/** Lists the columns that the model uses, with the cells of a typical row. */
function askFields({ encoder, background }: Classifier<Card>): AskField[] {
  return encoder.schema.columns.map((column) => ({
    name: column.name,
    kind: column.kind,
    levels: column.kind === "categorical" ? column.levels : [],
    example: background?.table.has(column.name) ? cellAsText(background.table.column(column.name), 0) : "",
  }));
}

function cellAsText(column: Column, row: number): string {
  if (column.kind === "categorical") return column.levels[column.codes[row]] ?? "";
  const value = numberAt(column.values, row);
  return Number.isNaN(value) ? "" : String(value);
}
