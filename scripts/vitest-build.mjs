import { build } from "./build.mjs";

/** Vitest's global set-up: tests run against the built packages. */
export default function setup() {
  build();
}
