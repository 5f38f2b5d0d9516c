/** Throws if there is a number among the rows that is no row of so many: kernels would read other memory. */
export function checkRows(rows: Int32Array, count: number): void {
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] < 0 || rows[i] >= count) throw new RangeError(`There is no row ${rows[i]} among ${count}.`);
  }
}
