/** How often a column is shuffled anew. */
export const REPEATS = 5;

/** With fewer rows than this, chance is larger than what most columns matter. */
const ENOUGH_ROWS = 100;
/** So few rows show which of many columns change predictions at all. */
const ENOUGH_TO_SCREEN = 50;
/** So many columns are measured where there are too many for all, and fewer than these few tell nothing of the others. */
const WORTH_MEASURING = 20;
const TOO_FEW = 5;

/** Which columns are shuffled on how many rows to see how much they matter. */
export interface ImportancePlan {
  /** Where there are too many columns to measure all: those that are shuffled once first, and on how many rows. */
  readonly screening?: { readonly columns: number; readonly rows: number };
  /** How many columns are measured, of those that change most predictions, and on how many rows. */
  readonly columns: number;
  readonly rows: number;
}

/**
 * What can be done with a number of predictions. All columns on as many rows as that allows, if these are enough; otherwise half
 * of the predictions find those columns that change most of them, and the other half measures these. Nothing where
 * only a handful of many columns could be measured.
 */
export function importancePlan(
  columns: number,
  rows: number,
  predictions: number,
): ImportancePlan | undefined {
  if (columns === 0 || rows === 0) return undefined;
  const enough = Math.min(rows, ENOUGH_ROWS);
  const forAll = Math.min(rows, Math.floor(predictions / (columns * REPEATS)));
  if (forAll >= enough) return { columns, rows: forAll };
  const half = predictions / 2;
  const screenRows = Math.min(rows, Math.max(ENOUGH_TO_SCREEN, Math.floor(half / columns)));
  const screened = Math.min(columns, Math.floor(half / screenRows));
  const measured = Math.min(screened, WORTH_MEASURING, Math.floor(half / (REPEATS * enough)));
  if (measured < Math.min(columns, TOO_FEW)) return undefined;
  return {
    screening: { columns: screened, rows: screenRows },
    columns: measured,
    rows: Math.min(rows, Math.floor(half / (REPEATS * measured))),
  };
}
