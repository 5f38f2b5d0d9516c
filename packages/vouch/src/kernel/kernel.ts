/** A kernel: the scalar product of two rows after a map to another space. */
export type Kernel =
  /** x·y */
  | { readonly kind: "linear" }
  /** (offset + scale · x·y)^degree; the offset is 1 unless the model comes from another program */
  | { readonly kind: "polynomial"; readonly degree: number; readonly scale: number; readonly offset?: number }
  /** exp(−γ‖x − y‖²) */
  | { readonly kind: "rbf"; readonly gamma: number }
  /** exp(−γ Σ (x − y)² / (x + y)), for features that are not negative */
  | { readonly kind: "chi-square"; readonly gamma: number }
  /** Σ min(x, y), for features that are not negative */
  | { readonly kind: "intersection" };

/** K(x, y) in double precision, straight from the formula: what all faster ways are measured against. */
export function kernelValue(kernel: Kernel, x: ArrayLike<number>, y: ArrayLike<number>): number {
  switch (kernel.kind) {
    case "linear":
      return dotProduct(x, y);
    case "polynomial":
      return ((kernel.offset ?? 1) + kernel.scale * dotProduct(x, y)) ** kernel.degree;
    case "rbf":
      return Math.exp(-kernel.gamma * squaredDistance(x, y));
    case "chi-square":
      return Math.exp(-kernel.gamma * chiSquareDistance(x, y));
    case "intersection":
      return intersection(x, y);
  }
}

function dotProduct(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * y[k];
  return sum;
}

function squaredDistance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += (x[k] - y[k]) ** 2;
  return sum;
}

/** Σ (x − y)² / (x + y), where 0/0 counts as 0. */
function chiSquareDistance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) {
    const total = x[k] + y[k];
    if (total > 0) sum += (x[k] - y[k]) ** 2 / total;
  }
  return sum;
}

function intersection(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += Math.min(x[k], y[k]);
  return sum;
}
