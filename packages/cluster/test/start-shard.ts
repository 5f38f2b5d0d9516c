import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a process that trains as a shard has printed: a hash of the model file, or an error. */
interface ShardResult {
  readonly sha256?: string;
  readonly message?: string;
  readonly code?: string;
}

/** Starts a process that trains as a shard. */
export function startShard(options: object): { child: ChildProcess; result: Promise<ShardResult> } {
  const script = fileURLToPath(new URL("./shard-process.mjs", import.meta.url));
  const child = fork(script, [JSON.stringify(options)], { silent: true });
  let text = "";
  let errors = "";
  child.stdout?.on("data", (data) => {
    text += data;
  });
  child.stderr?.on("data", (data) => {
    errors += data;
  });
  const result = new Promise<ShardResult>((resolve) => {
    child.on("close", () => resolve(text ? JSON.parse(text) : { message: `no result: ${errors}` }));
  });
  return { child, result };
}
