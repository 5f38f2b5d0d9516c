/** The exports for networks of dense layers. */
export { activate as netActivate, derive as netDerive } from "./net-activation";
export { backward as netBackward } from "./net-backward";
export { forward as netForward } from "./net-forward";
export { logistic as netLogistic, softmax as netSoftmax } from "./net-loss";
export { update as netUpdate } from "./net-update";
