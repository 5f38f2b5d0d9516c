export interface ColumnShift {
  readonly column: string;
  readonly p: number;
  readonly distance: number;
}
export function columnShifts(_a: unknown, _b: unknown, _c: string): ColumnShift[] {
  return [];
}
