/** The exports for networks of dense layers. */
export { activate as netActivate, derive as netDerive } from "./net-activation";
export { listColumns as netListColumns, listRows as netListRows, packLists as netPackLists } from "./net-lists";
export { logistic as netLogistic, softmax as netSoftmax } from "./net-loss";
export { product as netProduct, productOfLists as netProductOfLists } from "./net-product";
export {
  transposeWeights as netTranspose,
  update as netUpdate,
  updateAfterLists as netUpdateAfterLists,
  updateBiases as netUpdateBiases,
  updateOfLists as netUpdateOfLists,
} from "./net-update";
