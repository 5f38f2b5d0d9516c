import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative, sep } from "node:path";
import { root } from "./setup.mjs";
import { DURATIONS_FILE } from "./test-durations.mjs";

/** Records how long each test file takes, for `npm test -- --record`. */
export default class DurationsReporter {
  onTestRunStart() {
    this.start = performance.now();
  }

  onTestRunEnd(modules) {
    const files = modules.map((module) => {
      const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
      const path = relative(root, module.moduleId).split(sep).join("/");
      return [path, tenths(prepareDuration + collectDuration + setupDuration + duration)];
    });
    files.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const record = {
      cores: availableParallelism(),
      seconds: Math.round((performance.now() - this.start) / 1000),
      files: Object.fromEntries(files),
    };
    writeFileSync(DURATIONS_FILE, `${JSON.stringify(record, null, 2)}\n`);
  }
}

function tenths(milliseconds) {
  return Math.round(milliseconds / 100) / 10;
}
