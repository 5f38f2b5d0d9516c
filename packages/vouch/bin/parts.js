/**
 * The packages that the command consists of: its bundle is made of their builds. In an installation, these leave no trace, and the
 * bundle is always current.
 */
export const PARTS = [
  "core",
  "formats",
  "datasets",
  "views",
  "report",
  "studio",
  "serve",
  "onnx",
  "cluster",
  "vouch",
];
