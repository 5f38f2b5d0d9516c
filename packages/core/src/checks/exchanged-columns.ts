import { LevelTally, NumberTally } from "./column-tally.js";

/** A column of new rows whose distribution differs from the training rows. */
export interface ShiftedColumn {
  readonly name: string;
  readonly tally: NumberTally | LevelTally;
  /** Distance from the training rows of the same column, in [0, 1]. */
  readonly distance: number;
}

/** A column whose cells look like another column of the training rows. */
export interface ExchangedColumn {
  readonly column: string;
  readonly like: string;
  /** Whether the cells of the other column look like this one's. */
  readonly mutual: boolean;
}

/** Minimum distance of columns that are compared with others. */
const CLEAR = 0.2;
/** Maximum number of columns to compare with each other; those that differ most are compared. */
const MOST_COMPARED = 64;
/** Largest distance at which cells resemble a training column, apart from 1/√n for chance. */
const SIMILAR = 0.1;

/**
 * Finds columns that differ clearly from their own training rows, but resemble another column that differs, too: two
 * headers are swapped, or all headers are shifted by one.
 */
export function exchangedColumns(shifted: readonly ShiftedColumn[]): ExchangedColumn[] {
  const compared = shifted
    .filter(({ distance }) => distance >= CLEAR)
    .sort((a, b) => b.distance - a.distance)
    .slice(0, MOST_COMPARED);
  const nearest = new Map(compared.map((column) => [column.name, nearestOther(column, compared)]));
  return compared.flatMap(({ name }) => {
    const like = nearest.get(name);
    if (like === undefined) return [];
    return [{ column: name, like, mutual: nearest.get(like) === name }];
  });
}

/** Finds the column whose training rows most resemble the cells of another one. */
function nearestOther(column: ShiftedColumn, others: readonly ShiftedColumn[]): string | undefined {
  const { tally, distance } = column;
  let nearest: string | undefined;
  let least = similarity(tally, distance);
  const sample = tally instanceof NumberTally ? tally.sample : undefined;
  for (const other of others) {
    if (other === column) continue;
    const apart =
      sample && other.tally instanceof NumberTally
        ? other.tally.distanceFrom(sample)
        : tally instanceof LevelTally && other.tally instanceof LevelTally
          ? tally.distanceTo(other.tally)
          : 1;
    if (apart >= least) continue;
    least = apart;
    nearest = other.name;
  }
  return nearest;
}

/** Returns the distance below which the cells resemble a training column: at most half of the distance to their own. */
function similarity(tally: ShiftedColumn["tally"], distance: number): number {
  const size = tally instanceof NumberTally ? tally.sample.length : tally.present;
  return Math.min(SIMILAR + 1 / Math.sqrt(size), distance / 2);
}

/** Ratios of units: powers of ten, minutes and hours in seconds, hours in days. */
const RATIOS = [10, 100, 1000, 1e6, 1e9, 24, 60, 3600];

/** Finds the factor by which the numbers of a column look multiplied; undefined if there is none. */
export function scaleFactor({ tally, distance }: ShiftedColumn): number | undefined {
  if (!(tally instanceof NumberTally) || distance < CLEAR) return undefined;
  const { sample } = tally;
  let factor: number | undefined;
  let least = similarity(tally, distance);
  for (const ratio of RATIOS.flatMap((each) => [each, 1 / each])) {
    const apart = tally.distanceFrom(sample.map((value) => value / ratio));
    if (apart >= least) continue;
    least = apart;
    factor = ratio;
  }
  return factor;
}
