/** TRANSITION: learners import this from here. */
export { UPDATE_SCRATCH } from "./kernels.js";
