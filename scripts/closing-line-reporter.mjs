/** Prints "N passed, N failed" alone on the last line, for tools that read a run's outcome. */
export default class ClosingLineReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state]++;
      }
      if (module.state() === "failed" && [...module.children.allTests("failed")].length === 0)
        counts.failed++;
    }
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
