import { defineConfig } from "vitest/config";

/** Tests import the built packages, as users do; `scripts/build.mjs` runs first and is incremental. */
export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    globalSetup: ["scripts/vitest-build.mjs"],
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
