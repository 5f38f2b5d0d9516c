import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than about a second, or that define learners, which all other tests of the same process would find. */
const SLOW = "packages/*/test/**/*.slow.test.{ts,tsx}";

/** Starts slow files first: whatever starts last should be short, so that no core waits for another. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ project }: TestSpecification) => Number(project.name === "slow");
    return (await super.sort(files)).sort((a, b) => isSlow(b) - isSlow(a));
  }
}

/** Tests import the built packages, as users do; `scripts/build.mjs` runs first and is incremental. */
export default defineConfig({
  oxc: { jsx: { importSource: "preact" } },
  test: {
    // To load the library again for every file takes longer than most of the fast tests: these share their processes.
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["packages/*/test/**/*.test.{ts,tsx}"],
          exclude: [...configDefaults.exclude, SLOW],
          isolate: false,
        },
      },
      { extends: true, test: { name: "slow", include: [SLOW] } },
    ],
    globalSetup: ["scripts/vitest-build.mjs"],
    setupFiles: ["scripts/fixed-seeds.mjs"],
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
    pool: "forks",
    // A file on each processor: by default one is left free, which of two is half of the machine.
    maxWorkers: "100%",
    // Tests of the command start processes: with a file on each processor, five in each would only wait for each other.
    maxConcurrency: 3,
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
