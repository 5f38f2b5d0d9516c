export type { Certificate, Premise } from "./bounds/certificate.js";
export { type ErrorCode, VouchError } from "./error.js";
