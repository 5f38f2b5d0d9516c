/** Builds the packages before Vitest runs the tests. */
import { build } from "./build.mjs";

export default function setup() {
  build();
}
