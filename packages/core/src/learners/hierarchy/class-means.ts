import { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import type { KernelMatrix } from "../kernel/kernel-matrix.js";

/** Steps of the power method: enough for the order of the classes. */
const POWER_STEPS = 60;

/** Computes the dot products of the class means in a kernel's feature space: means of kernel values. */
export function kernelMeanProducts(kernel: KernelMatrix, rowsOf: readonly Int32Array[]): Matrix {
  const products = new Matrix(rowsOf.length, rowsOf.length);
  rowsOf.forEach((rows, k) => {
    for (const i of rows) {
      const values = kernel.row(i);
      rowsOf.forEach((others, l) => {
        let sum = 0;
        for (const j of others) sum += values[j];
        products.values[k * rowsOf.length + l] += sum / (rows.length * others.length);
      });
    }
  });
  return products;
}

/** Computes the dot products of the class means of plain features. */
export function meanProducts(features: Matrix, rowsOf: readonly Int32Array[]): Matrix {
  const { columns } = features;
  const means = rowsOf.map((rows) => {
    const mean = new Float64Array(columns);
    for (const i of rows) {
      const row = features.row(i);
      for (let j = 0; j < columns; j++) mean[j] += row[j] / rows.length;
    }
    return mean;
  });
  const products = new Matrix(rowsOf.length, rowsOf.length);
  means.forEach((mean, k) => {
    for (let l = 0; l <= k; l++) {
      let sum = 0;
      for (let j = 0; j < columns; j++) sum += mean[j] * means[l][j];
      products.values[k * rowsOf.length + l] = sum;
      products.values[l * rowsOf.length + k] = sum;
    }
  });
  return products;
}

/**
 * Sorts classes by their means along the first principal component of the means, found by the power method. `products` are
 * the dot products of the means of all classes.
 */
export function orderByMeans(classes: Int32Array, products: Matrix): Int32Array {
  const centred = centredProducts(classes, products);
  const count = classes.length;
  const random = new Random(count);
  let direction = Float64Array.from(classes, () => random.normal());
  for (let step = 0; step < POWER_STEPS; step++) {
    const next = new Float64Array(count);
    let largest = 0;
    for (let k = 0; k < count; k++) {
      for (let l = 0; l < count; l++) next[k] += centred[k * count + l] * direction[l];
      largest = Math.max(largest, Math.abs(next[k]));
    }
    // All means are equal: any order will do.
    if (!(largest > 0)) break;
    direction = next.map((value) => value / largest);
  }
  const order = Int32Array.from(classes.keys()).sort((k, l) => direction[k] - direction[l] || k - l);
  return order.map((index) => classes[index]);
}

/** Computes the dot products of the class means minus their common mean. */
function centredProducts(classes: Int32Array, products: Matrix): Float64Array {
  const count = classes.length;
  const chosen = new Float64Array(count * count);
  const means = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    for (let l = 0; l < count; l++) {
      chosen[k * count + l] = products.values[classes[k] * products.columns + classes[l]];
      means[k] += chosen[k * count + l] / count;
    }
  }
  const mean = means.reduce((sum, value) => sum + value, 0) / count;
  for (let k = 0; k < count; k++) {
    for (let l = 0; l < count; l++) chosen[k * count + l] += mean - means[k] - means[l];
  }
  return chosen;
}
