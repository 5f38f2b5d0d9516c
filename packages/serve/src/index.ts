/**
 * Serve models over HTTP and gRPC by the Open Inference Protocol, and watch their certificates; for Node only.
 *
 * @packageDocumentation
 */
// Servers

export { HostNames } from "./host-names.js";
export type { ServeLimits } from "./limits.js";
export { serve } from "./serve.js";
export type { RunningServer, ServeOptions } from "./serve-options.js";
