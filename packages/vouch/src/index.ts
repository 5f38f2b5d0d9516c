export { type ErrorCode, VouchError } from "./error.js";
