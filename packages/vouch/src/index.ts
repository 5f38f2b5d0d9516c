export type { Certificate, Premise } from "./bounds/certificate.js";
export { didYouMean } from "./data/nearest-name.js";
export {
  type CategoricalColumn,
  type Column,
  type NumericColumn,
  type NumericValues,
  Table,
} from "./data/table.js";
export { type ErrorCode, interrupted, VouchError } from "./error.js";
export type { Progress } from "./learning/run.js";
