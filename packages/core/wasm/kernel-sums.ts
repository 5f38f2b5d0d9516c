import { CHI_SQUARE, kernelSums, kernelValues, squaredNorms } from "./kernel-values";
import { packRows, PANEL_STEP, panelWidth } from "./panels";
import { multiplyPanels } from "./product";
import { transpose } from "./transpose";

/**
 * Machines f(x) = Σ coefficient · K(s, x) + bias that share support vectors s, in f64. A block of rows x is evaluated for one
 * chunk of support vectors after the other: first all kernel values of the chunk, a row of `stride` values for each support
 * vector, then the share of the chunk in every machine that uses any of it. So both stay in the cache. Every f(x) is summed in
 * the order of the support vectors, whatever the block.
 */

/** Packs a block of rows, and computes their squared norms. */
export function packBlock(rows: usize, count: i32, depth: i32, panels: usize, norms: usize): void {
  packRows<f64>(rows, depth, count, depth, panels);
  squaredNorms<f64>(panels, (count + panelWidth<f64>() - 1) / panelWidth<f64>(), depth, norms);
}

/**
 * Computes K(s, x) of the support vectors of `chunk` panels with the rows of `block` panels. Norms are squared, and of the
 * first vector of each.
 */
export function crossValues(
  kind: i32, degree: i32, factor: f64, offset: f64,
  chunk: usize, chunkPanels: i32, chunkNorms: usize,
  block: usize, blockPanels: i32, blockNorms: usize,
  depth: i32, values: usize, stride: i32,
): void {
  const width = panelWidth<f64>(), panelBytes = <usize>depth * PANEL_STEP, rowBytes = <usize>stride << 3;
  const vectors = chunkPanels * width, columns = blockPanels * width;
  if (kind < CHI_SQUARE) {
    multiplyPanels<f64>(chunk, block, depth, values, stride, vectors, columns, 0, chunkPanels, false, false);
  }
  for (let s = 0; s < vectors; s++) {
    const row = values + <usize>s * rowBytes;
    if (kind >= CHI_SQUARE) {
      const lane = chunk + <usize>(s / width) * panelBytes + (<usize>(s % width) << 3);
      kernelSums<f64>(kind, lane, block, blockPanels, depth, row);
    }
    const norm = load<f64>(chunkNorms + (<usize>s << 3));
    kernelValues<f64, f64>(kind, degree, factor, offset, row, columns, norm, blockNorms, row);
  }
}

/** Bytes of an entry: a coefficient (f64) and where the values of its support vector begin in the chunk (i32), padded. */
@inline export const ENTRY: usize = 16;

/** Bytes of a use: a machine and the end of its entries, both i32. */
@inline export const USE: usize = 8;

/**
 * Adds the shares of a chunk to the sums of machines, a row of `stride` sums for each. Each of the `count` uses is a pair of
 * i32: a machine and the end of its entries, which begin where those of the previous use end. `columns`, a multiple of 4, are
 * in use.
 */
export function addMachines(
  values: usize, uses: usize, count: i32, entries: usize,
  sums: usize, stride: i32, columns: i32,
): void {
  let begin = entries;
  for (let u = 0; u < count; u++, uses += USE) {
    const machine = sums + (<usize>load<i32>(uses) * stride << 3);
    const end = entries + <usize>load<i32>(uses, 4) * ENTRY;
    let column = 0;
    for (; column + 16 <= columns; column += 16) {
      addSixteen(values + (<usize>column << 3), begin, end, machine + (<usize>column << 3));
    }
    for (; column < columns; column += 4) {
      addFour(values + (<usize>column << 3), begin, end, machine + (<usize>column << 3));
    }
    begin = end;
  }
}

/** Adds the entries to sixteen sums: eight registers that do not wait for each other. */
function addSixteen(values: usize, entry: usize, end: usize, sums: usize): void {
  let sum0 = v128.load(sums), sum1 = v128.load(sums, 16), sum2 = v128.load(sums, 32), sum3 = v128.load(sums, 48);
  let sum4 = v128.load(sums, 64), sum5 = v128.load(sums, 80), sum6 = v128.load(sums, 96), sum7 = v128.load(sums, 112);
  for (; entry < end; entry += ENTRY) {
    const row = values + <usize>load<i32>(entry, 8), factor = v128.load64_splat(entry);
    sum0 = f64x2.add(sum0, f64x2.mul(factor, v128.load(row)));
    sum1 = f64x2.add(sum1, f64x2.mul(factor, v128.load(row, 16)));
    sum2 = f64x2.add(sum2, f64x2.mul(factor, v128.load(row, 32)));
    sum3 = f64x2.add(sum3, f64x2.mul(factor, v128.load(row, 48)));
    sum4 = f64x2.add(sum4, f64x2.mul(factor, v128.load(row, 64)));
    sum5 = f64x2.add(sum5, f64x2.mul(factor, v128.load(row, 80)));
    sum6 = f64x2.add(sum6, f64x2.mul(factor, v128.load(row, 96)));
    sum7 = f64x2.add(sum7, f64x2.mul(factor, v128.load(row, 112)));
  }
  v128.store(sums, sum0); v128.store(sums, sum1, 16); v128.store(sums, sum2, 32); v128.store(sums, sum3, 48);
  v128.store(sums, sum4, 64); v128.store(sums, sum5, 80); v128.store(sums, sum6, 96); v128.store(sums, sum7, 112);
}

/** Adds the entries to four sums. */
function addFour(values: usize, entry: usize, end: usize, sums: usize): void {
  let left = v128.load(sums), right = v128.load(sums, 16);
  for (; entry < end; entry += ENTRY) {
    const row = values + <usize>load<i32>(entry, 8), factor = v128.load64_splat(entry);
    left = f64x2.add(left, f64x2.mul(factor, v128.load(row)));
    right = f64x2.add(right, f64x2.mul(factor, v128.load(row, 16)));
  }
  v128.store(sums, left); v128.store(sums, right, 16);
}

/** Sets the sums of every machine to its bias. */
export function startSums(biases: usize, machines: i32, sums: usize, stride: i32): void {
  for (let m = 0; m < machines; m++, biases += 8) {
    const bias = v128.load64_splat(biases);
    for (const end = sums + (<usize>stride << 3); sums < end; sums += 16) v128.store(sums, bias);
  }
}

/** Writes the sums of each row one after the other: `to` has a row of `machines` values for each of `rows` rows. */
export function transposeSums(sums: usize, stride: i32, machines: i32, rows: i32, to: usize): void {
  transpose<f64>(sums, <usize>stride << 3, machines, rows, to, <usize>machines << 3);
}
