import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest: whatever starts last should be short, lest one processor waits for another. */
const longest = ["cli/test/every-dataset", "cli/test/threads", "cli/test/commands/train-choice"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      longest.some((name) => moduleId.includes(`/${name}.`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Tests import the built packages, as users do; `scripts/build.mjs` runs first and is incremental. */
export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    globalSetup: ["scripts/vitest-build.mjs"],
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
});
