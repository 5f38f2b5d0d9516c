import type { ColumnSchema } from "@vouch/core/internal/table/schema";
import { certify } from "@vouch/core/internal/train/certify";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { describeVerdict } from "@vouch/core/internal/train/verdict";
import { inputName, inputType } from "./raw-columns.js";

/** Describes a classifier as metadata strings by name; all but the learner are JSON. */
export function metadataOf(classifier: Classifier): Record<string, string> {
  const { card, encoder, classes } = classifier;
  const certificates = certify(classifier);
  const { verdict } = card;
  const entries: [string, unknown][] = [
    ["schema", { target: encoder.schema.target, columns: encoder.schema.columns.map(describeColumn) }],
    ["classes", classes],
    ["verdict", verdict && { ...verdict, words: describeVerdict(verdict).verdict }],
    ["certificate", certificates[0]],
    ["certificates", certificates],
    ["card", card],
  ];
  const json = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [[`vouch.${name}`, JSON.stringify(value)]],
  );
  return Object.fromEntries([["vouch.learner", card.learner], ...json]);
}

/** Describes a column and its input. */
function describeColumn(column: ColumnSchema) {
  const missing = inputType(column) === "double" ? "NaN" : "";
  const unit = column.kind === "date" ? { unit: "milliseconds since 1970-01-01T00:00Z" } : {};
  return { ...column, input: inputName(column.name), type: inputType(column), missing, ...unit };
}
