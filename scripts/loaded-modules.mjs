/** Counts the modules that commands load and execute, from the coverage that V8 records, and times them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const RUNS = 7;

/** Trains on iris and predicts its 150 rows with the built command of a clone. */
export function measureCommands(root) {
  const folder = mkdtempSync(join(tmpdir(), "vouch-map-"));
  const command = join(root, "packages", "cli", "bin", "vouch.js");
  const data = join(root, "packages", "datasets", "data", "iris.csv");
  const model = join(folder, "model.safetensors");
  const train = [
    command,
    "train",
    data,
    "--learner",
    "adaboost",
    "--seed",
    "1",
    "--threads",
    "1",
    "--out",
    model,
  ];
  const predict = [command, "predict", model, data, "--out", join(folder, "predictions.csv")];
  try {
    return {
      train: modulesOf(root, train, join(folder, "train")),
      predict: { ...modulesOf(root, predict, join(folder, "predict")), seconds: medianSeconds(predict) },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args, env = {}) {
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) throw new Error(`${args.join(" ")} failed (exit code ${status}):\n${stderr}`);
}

/**
 * Counts the built modules of packages that the main thread evaluates, and those of them in which a function other than the
 * module's top level is called. A worker thread writes a file of its own, which does not have the command's script in it.
 */
function modulesOf(root, args, folder) {
  run(args, { NODE_V8_COVERAGE: folder });
  const command = pathToFileURL(args[0]).href;
  const files = readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), "utf8")).result,
  );
  const main = files.find((scripts) => scripts.some(({ url }) => url === command));
  const packages = pathToFileURL(join(root, "packages")).href;
  const loaded = main.filter(
    ({ url }) => url.startsWith(packages) && /^\/[^/]+\/dist\//.test(url.slice(packages.length)),
  );
  const executed = loaded.filter(({ functions }) => functions.some((one) => isCalled(one, functions[0])));
  const named = (scripts) => scripts.map(({ url }) => url.slice(packages.length + 1)).sort();
  return { loaded: named(loaded), executed: named(executed), threads: files.length };
}

/** Tells whether a function ran. The first one of a module spans all of it: its top level. */
function isCalled({ functionName, ranges }, top) {
  const [{ count, startOffset, endOffset }] = ranges;
  const isTop = startOffset <= top.ranges[0].startOffset && endOffset >= top.ranges[0].endOffset;
  return count > 0 && !isTop && functionName !== "<static_initializer>";
}

function medianSeconds(args) {
  const seconds = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    run(args);
    return (performance.now() - start) / 1000;
  });
  return seconds.sort((a, b) => a - b)[(RUNS - 1) / 2];
}
