/** Bytes for each row that `netUpdate` needs besides its arguments. */
export const UPDATE_SCRATCH = 128;

/**
 * The functions of `kernels/net.ts`. All numbers are f32, strides are in elements. The weights of a layer lie in panels of
 * 8 outputs, each `depth` steps deep; rows are computed in tiles of 4, so that there must be room for up to 3 more.
 */
export interface NetKernels {
  /** out = x · Wᵀ + bias. */
  readonly netForward: (
    x: number,
    xStride: number,
    weights: number,
    depth: number,
    bias: number,
    panels: number,
    out: number,
    outStride: number,
    rows: number,
  ) => void;
  /** dx = delta · W. */
  readonly netBackward: (
    delta: number,
    deltaStride: number,
    weights: number,
    depth: number,
    panels: number,
    dx: number,
    dxStride: number,
    rows: number,
  ) => void;
  /**
   * W and bias take a step along xᵀ · delta and Σ delta. `rule` is the address of a step rule (`kernels/net-step.ts`),
   * `scratch` that of UPDATE_SCRATCH bytes for each row.
   */
  readonly netUpdate: (
    x: number,
    xStride: number,
    delta: number,
    deltaStride: number,
    weights: number,
    depth: number,
    bias: number,
    panels: number,
    rows: number,
    rule: number,
    weightMemory: number,
    biasMemory: number,
    scratch: number,
  ) => void;
  /** Sums become what the units give; columns beyond the units become 0. */
  readonly netActivate: (
    kind: number,
    values: number,
    stride: number,
    units: number,
    width: number,
    rows: number,
  ) => void;
  /** Derivatives by what units give become those by their sums. */
  readonly netDerive: (
    kind: number,
    values: number,
    delta: number,
    stride: number,
    width: number,
    rows: number,
  ) => void;
  /** Sums become the derivatives of the loss by them; gives the weighted sum of the losses. */
  readonly netSoftmax: (
    sums: number,
    stride: number,
    classes: number,
    width: number,
    rows: number,
    labels: number,
    weights: number,
  ) => number;
  /** The same for a single output, of the second of two classes. */
  readonly netLogistic: (
    sums: number,
    stride: number,
    width: number,
    rows: number,
    labels: number,
    weights: number,
  ) => number;
}
