/** The exports for networks of dense layers. */
export { activate as netActivate, derive as netDerive } from "./net-activation";
export {
  listColumns as netListColumns,
  listRows as netListRows,
  packLists as netPackLists,
  scatterLists as netScatterLists,
} from "./net-lists";
export { logistic as netLogistic, softmax as netSoftmax, squaredError as netSquaredError } from "./net-loss";
export { product as netProduct, productOfLists as netProductOfLists } from "./net-product";
export {
  transposeWeights as netTranspose,
  update as netUpdate,
  updateSparseThenDense as netUpdateSparseThenDense,
  updateBiases as netUpdateBiases,
  updateOfLists as netUpdateOfLists,
} from "./net-update";
