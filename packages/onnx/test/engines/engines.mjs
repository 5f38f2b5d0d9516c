import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const isInstalled = existsSync(new URL("node_modules/onnxruntime-web/package.json", import.meta.url));

/** Says how to install the runtimes, for tests and scripts that need them. */
export const INSTALLATION =
  "npm ci --ignore-scripts --prefix packages/onnx/test/engines (npm test does it for full runs)";

/**
 * Lists the runtimes that are installed, each with `open(bytes)`, which returns a session. Both compute on one thread: with
 * several, onnxruntime-node adds up trees in another order.
 */
export function installedEngines() {
  if (!isInstalled) return [];
  return [
    {
      name: "onnxruntime-node",
      load: () => require("onnxruntime-node"),
      options: { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 },
    },
    {
      name: "onnxruntime-web",
      load: loadWeb,
      options: { executionProviders: ["wasm"], logSeverityLevel: 3 },
    },
  ].map(({ name, load, options }) => ({
    name,
    async open(bytes, more = {}) {
      const runtime = await load();
      const session = await runtime.InferenceSession.create(bytes, { ...options, ...more });
      return {
        /** Runs the model on columns by the name of their input: numbers or texts. */
        async run(columns, fetches) {
          const feeds = Object.fromEntries(
            Object.entries(columns).map(([input, cells]) => {
              const type = cells instanceof Float64Array ? "float64" : "string";
              return [input, new runtime.Tensor(type, cells, [cells.length, 1])];
            }),
          );
          const outputs = await (fetches ? session.run(feeds, fetches) : session.run(feeds));
          return Object.fromEntries(
            Object.entries(outputs).map(([output, { data, dims }]) => [output, { data, dims }]),
          );
        },
        inputs: session.inputNames,
        outputs: session.outputNames,
        close: () => session.release(),
      };
    },
  }));
}

async function loadWeb() {
  const runtime = require("onnxruntime-web");
  runtime.env.wasm.numThreads = 1;
  return runtime;
}
