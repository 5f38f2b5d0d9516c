import type { ColumnSchema } from "@vouch/core/internal/table/schema";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import type { MeasuredImportance, UnmeasuredImportance } from "../columns/column-importance.js";

/** A row as typed into a form: the text of each cell by column name; "" is missing. */
export type TypedRow = Readonly<Record<string, string>>;

/** A field of a form for one row. */
export interface FormField {
  readonly name: string;
  readonly kind: ColumnSchema["kind"];
  /** Categories of the training rows, most frequent first. */
  readonly levels?: readonly string[];
  /** Smallest and largest number in the training rows. */
  readonly range?: readonly [number, number];
  /** The median of numbers or the most frequent category; "" if there is none. */
  readonly typical: string;
}

/** Significant digits of a typical number. */
const TYPICAL_DIGITS = 4;

/** Maximum number of categories in a form field. */
const MOST_LEVELS = 200;

/** Lists the columns of a model as form fields, most important first. */
export function formFields(
  { encoder, profile }: Pick<Classifier, "encoder" | "profile">,
  importance: MeasuredImportance | UnmeasuredImportance = { reason: "it was not measured" },
): FormField[] {
  const gains = new Map(
    "reason" in importance ? [] : importance.features.map(({ feature, mean }) => [feature, mean]),
  );
  return encoder.schema.columns
    .map((column, j) => formField(column, profile?.columns[j]))
    .sort((a, b) => (gains.get(b.name) ?? 0) - (gains.get(a.name) ?? 0));
}

type Profile = NonNullable<Classifier["profile"]>["columns"][number];

function formField(column: ColumnSchema, profile: Profile | undefined): FormField {
  const { name, kind } = column;
  if (column.kind === "categorical") return { name, kind, ...formLevels(column.levels, profile) };
  if (column.kind !== "numeric" || profile?.kind !== "numbers" || profile.cuts.length === 0) {
    return { name, kind, typical: "" };
  }
  const { cuts } = profile;
  const range = [cuts[0], cuts[cuts.length - 1]] as const;
  return { name, kind, range, typical: String(Number(findMedian(profile).toPrecision(TYPICAL_DIGITS))) };
}

function formLevels(levels: readonly string[], profile: Profile | undefined) {
  const counts = profile?.kind === "levels" ? profile.counts : [];
  const order = levels.map((_, k) => k).sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0));
  const sorted = order.map((k) => levels[k]);
  return { levels: sorted.slice(0, MOST_LEVELS), typical: sorted[0] ?? "" };
}

/** Finds the cut point at the median. */
function findMedian({ cuts, counts }: Extract<Profile, { kind: "numbers" }>): number {
  const groups = Array.from(counts);
  const half = groups.reduce((sum, count) => sum + count, 0) / 2;
  let below = 0;
  // Groups alternate: below the first cut, equal to it, between it and the second, and so on.
  const at = groups.findIndex((count) => {
    below += count;
    return below >= half;
  });
  return cuts[Math.min(cuts.length - 1, Math.floor(Math.max(0, at) / 2))];
}
