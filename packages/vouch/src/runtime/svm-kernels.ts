/** The kernel values of all pairs of packed rows, as far as the panels [begin, end) determine them. */
type KernelPanels = (
  kind: number,
  degree: number,
  factor: number,
  panels: number,
  depth: number,
  norms: number,
  matrix: number,
  stride: number,
  rows: number,
  begin: number,
  end: number,
  sums: number,
) => void;

/** The squared norms of the rows in `count` panels, one per place in a panel. */
type SquaredNorms = (panels: number, count: number, depth: number, norms: number) => void;

/** The listed rows of panels, and their norms, in the panels [begin, end) of a smaller sample. */
type CompactPanels = (
  from: number,
  fromNorms: number,
  depth: number,
  list: number,
  count: number,
  to: number,
  toNorms: number,
  begin: number,
  end: number,
) => void;

/**
 * The functions of `kernels/svm.ts`. A `problem` is the address of the state of a solver (`kernels/smo.ts`), a `cache`
 * that of a row cache (`kernels/row-cache.ts`), a `list` that of i32 row numbers.
 */
export interface SvmKernels {
  // Kernel values
  readonly squaredNorms32: SquaredNorms;
  readonly squaredNorms64: SquaredNorms;
  readonly kernelPanels: KernelPanels;
  readonly kernelValues64: (
    kind: number,
    degree: number,
    factor: number,
    sums: number,
    count: number,
    norm: number,
    norms: number,
    values: number,
  ) => void;

  // Solving
  readonly smoBytes: () => number;
  /** Bytes of the vectors of a problem, per row of its capacity. */
  readonly smoVectorBytes: () => number;
  readonly smoLayOut: (problem: number, vectors: number, capacity: number) => void;
  readonly smoShape: (
    problem: number,
    size: number,
    padded: number,
    kernel: number,
    stride: number,
    cache: number,
  ) => void;
  readonly smoStart: (problem: number, labels: number, bounds: number, tolerance: number) => void;
  /** 0 after `count` steps, 1 when the tolerance is reached, 2 when no pair can be found. */
  readonly smoIterate: (problem: number, count: number) => number;
  readonly smoIterations: (problem: number) => number;
  readonly smoGradient: (problem: number) => number;
  readonly smoBeta: (problem: number) => number;

  // Newton steps
  readonly smoFreeRows: (problem: number, list: number) => number;
  readonly smoNewtonMatrix: (
    problem: number,
    list: number,
    matrix: number,
    stride: number,
    begin: number,
    end: number,
  ) => void;
  readonly smoNewtonImage: (
    problem: number,
    list: number,
    direction: number,
    begin: number,
    end: number,
    to: number,
  ) => void;
  /** 1 if the minimum was reached, 0 if a bound came first. */
  readonly smoNewtonMove: (
    problem: number,
    list: number,
    count: number,
    direction: number,
    image: number,
  ) => number;
  readonly choleskyRows64: (
    matrix: number,
    stride: number,
    begin: number,
    end: number,
    least: number,
  ) => void;
  readonly choleskySolve64: (matrix: number, stride: number, size: number, b: number) => void;

  // Shrinking
  readonly smoActiveRows: (problem: number, list: number) => number;
  readonly smoCompactVectors: (from: number, list: number, to: number) => void;
  readonly smoSettle: (problem: number, settled: number) => void;
  readonly smoChangedRows: (problem: number, settled: number, list: number) => number;
  readonly smoTakeOver: (problem: number, settled: number, list: number, begin: number, end: number) => void;
  readonly smoResume: (problem: number, iterations: number) => void;
  readonly compactMatrix32: (
    from: number,
    fromStride: number,
    list: number,
    count: number,
    to: number,
    toStride: number,
    begin: number,
    end: number,
  ) => void;
  readonly compactPanels32: CompactPanels;
  readonly compactPanels64: CompactPanels;

  // Rows on demand
  readonly rowCacheBytes: () => number;
  /** Bytes of scratch that computing a row needs. */
  readonly kernelRowScratch: () => number;
  readonly rowCacheBatchBytes: (depth: number, stride: number) => number;
  readonly rowCacheLayOut: (
    cache: number,
    lists: number,
    rows: number,
    scratch: number,
    batch: number,
    slots: number,
  ) => void;
  readonly rowCacheKernel: (cache: number, kind: number, degree: number, factor: number) => void;
  readonly rowCacheSample: (
    cache: number,
    panels: number,
    norms: number,
    count: number,
    depth: number,
    wide: boolean,
  ) => void;
  readonly rowCacheClear: (cache: number, rows: number, stride: number, bytes: number) => void;
  readonly rowCacheUsed: (cache: number) => number;
  readonly rowCacheBeginCompact: (cache: number, rows: number, list: number, listed: number) => void;
  readonly rowCacheCompactSlots: (
    cache: number,
    list: number,
    listed: number,
    stride: number,
    begin: number,
    end: number,
    kept: number,
  ) => number;
  readonly rowCacheEndCompact: (
    cache: number,
    listed: number,
    stride: number,
    bytes: number,
    kept: number,
  ) => void;
}
