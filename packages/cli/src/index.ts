/**
 * Train on a file in one call, as the `vouch` command does, and call the command as a function.
 *
 * @packageDocumentation
 */
export { main } from "./main.js";
export { train } from "./train-file.js";

// Also here

export type { TrainEvents, Trained, TrainRequestInput, TrainServices } from "vouch/command";
