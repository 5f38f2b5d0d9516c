import { relative, sep } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { slowTests, testDurations } from "./scripts/test-durations.mjs";

/** Starts the files that take longest first: whatever starts last should be short, lest one core waits for another. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { files: seconds } = testDurations();
    const secondsOf = ({ moduleId }: TestSpecification) =>
      seconds[
        relative(import.meta.dirname, moduleId)
          .split(sep)
          .join("/")
      ] ?? 0;
    return (await super.sort(files)).sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}

const INCLUDED = ["packages/*/test/**/*.test.{ts,tsx}"];

/** Tests that define custom learners, which all other tests of the same process would find in the list of learners. */
const ALONE = [
  "packages/onnx/test/export-onnx.test.ts",
  "packages/core/test/learners/score-rows.test.ts",
  "packages/core/test/train/large-model.test.ts",
];

/**
 * Tests import the built packages, as users do; `scripts/build.mjs` runs first and is incremental. The mode "quick" leaves out slow
 * files (`npm run test:quick`).
 */
export default defineConfig(({ mode }) => ({
  oxc: { jsx: { importSource: "preact" } },
  test: {
    // To load the library anew for every file takes longer than most of the fast tests: these share their processes.
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: INCLUDED,
          exclude: [...configDefaults.exclude, ...slowTests(), ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE } },
      ...(mode === "quick"
        ? []
        : [{ extends: true as const, test: { name: "slow", include: slowTests(), exclude: ALONE } }]),
    ],
    globalSetup: ["scripts/vitest-build.mjs"],
    setupFiles: ["scripts/fixed-seeds.mjs"],
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
    pool: "forks",
    // A file on each processor: by default one is left free, which of two is half of the machine.
    maxWorkers: "100%",
    // Tests of the command start processes: with a file on each processor, five in each would only wait for each other.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}));
