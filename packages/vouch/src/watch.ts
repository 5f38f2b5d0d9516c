/**
 * Watch a model in use: whether its certificate still holds, by labelled rows, and whether its inputs drift away from the training
 * rows.
 *
 * @packageDocumentation
 */
// Certificates in use

export { type WatchedCertificate, watchedCertificate } from "./train/watched-certificate.js";

// Drift of inputs

export { type ColumnDrift, type DriftState, DriftWatch } from "./evaluate/drift-watch.js";

// Also here

export { type SequentialErrorState, SequentialErrorTest } from "./theory/held-out/sequential-error-test.js";
