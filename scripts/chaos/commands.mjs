/** Commands of vouch that run while faults come, and checks of what they leave. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drawnColumns } from "../../packages/cluster/local-cluster.mjs";

export const vouch = fileURLToPath(new URL("../../packages/vouch/bin/vouch.js", import.meta.url));

/** Milliseconds in which a command must end: the machine may have other things to do. */
const COMMAND = 600_000;

/** How a command says that Redis was away when it began. */
const REFUSED = /cannot be reached: (connect |no answer within|read |Connection is closed)/;

/** A data file whose name is given to one of two files with the same columns and other rows. */
export const REPLACED = "replaced.csv";
export const SOURCES = ["one.csv", "other.csv"];

const train = (learner, ...flags) => [
  ...["train", "rows.csv", "--target", "y", "--learner", learner, ...flags, "--quiet", "--out"],
];
const shard = [...train("boosted-trees", "--set", "rounds=60").slice(0, -1)];

/** Commands, to which the name of the output is added unless they print it. */
const WORKS = {
  forest: { args: train("forest", "--set", "trees=3000") },
  boosted: { args: train("boosted-trees", "--folds", "4") },
  predict: { args: ["predict", "reference-forest", "new.csv", "--quiet", "--out"] },
  print: { args: ["predict", "reference-forest", "new.csv", "--quiet"], prints: true },
  shards: {
    args: [...shard, "--no-calibrate", "--out"],
    processes: (name) =>
      [1, 2].map((k) => [
        ...shard,
        "--shard",
        `${k}/2`,
        "--run-name",
        name,
        ...(k === 1 ? ["--out", name] : []),
      ]),
  },
  trainReplaced: {
    args: ["train", REPLACED, "--target", "y", "--learner", "stump", "--quiet", "--out"],
    replaced: true,
  },
  predictReplaced: { args: ["predict", "reference-forest", REPLACED, "--quiet", "--out"], replaced: true },
};
const ON_CLUSTER = ["forest", "boosted"];
export const WORK_NAMES = Object.keys(WORKS);
/** Those whose data file nobody touches. */
export const STEADY = WORK_NAMES.filter((name) => !WORKS[name].replaced);

export class Commands {
  #scene;
  #expected = {};
  #redis;

  constructor(scene) {
    this.#scene = scene;
  }

  /** Writes the data, and learns on this machine alone what each command must leave. `redis` says when Redis was away. */
  async prepare(redis) {
    this.#redis = redis;
    const write = (name, ...drawn) => writeFileSync(this.#scene.at(name), csvOf(drawnColumns(...drawn)));
    write("rows.csv", 3000, 6);
    write("new.csv", 20_000, 6, 5);
    for (const [k, source] of SOURCES.entries()) write(source, 100_000, 6, 7 + k);
    for (const name of WORK_NAMES) {
      this.#expected[name] = [];
      for (const source of WORKS[name].replaced ? SOURCES : [undefined]) {
        if (source) this.#scene.replace(REPLACED, source);
        this.#expected[name].push(await this.#reference(name));
      }
    }
  }

  async #reference(name) {
    const { args, prints } = WORKS[name];
    const out = `reference-${name}`;
    const { code, stderr } = await this.#run(prints ? args : [...args, out], { ...(prints && { out }) });
    if (code !== 0) throw new Error(stderr);
    return this.#scene.hashOf(out);
  }

  /** Runs a command to its end or to its limit. `blocks` of 512 bytes is the most that it may write to a file; `during` gets the process. */
  async #run(args, { blocks, env = {}, out, during } = {}) {
    const shell = blocks === undefined ? 'exec "$@"' : `ulimit -f ${blocks}; exec "$@"`;
    const stdout = out === undefined ? "ignore" : openSync(this.#scene.at(out), "w");
    const child = spawn("sh", ["-c", shell, "sh", process.execPath, vouch, ...args], {
      cwd: this.#scene.folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", stdout, "pipe"],
    });
    if (out !== undefined) closeSync(stdout);
    let stderr = "";
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    const limit = setTimeout(() => {
      this.#scene.note(`vouch ${args.join(" ")} has not ended within ${COMMAND / 1000} s`);
      child.kill("SIGKILL");
    }, COMMAND);
    const end = new Promise((resolve) => child.once("close", resolve));
    await during?.(child);
    const code = await end;
    clearTimeout(limit);
    return { code, stderr };
  }

  /**
   * Runs one of the commands, on the cluster or not, and checks what it leaves: all of the output, or an error and nothing. `fault` says what
   * happens to it: a "full disk" or "changed data" may fail, and a "killed" command ends without a word.
   */
  async attempt(name, { fault, blocks, during, cluster = true } = {}) {
    const scene = this.#scene;
    const { args, prints, processes } = WORKS[name];
    const out = `out-${scene.counts.commands++}`;
    const isVerified = cluster && ON_CLUSTER.includes(name) && scene.uniform() < 0.25;
    const env = cluster ? { VOUCH_CLUSTER: this.#redis.url } : {};
    const given = prints ? [args] : processes && cluster ? processes(out) : [[...args, out]];
    if (isVerified) given[0].push("--verify", "20%");
    const start = performance.now();
    const options = { blocks, env, ...(prints && { out }) };
    const ends = await Promise.all(
      given.map((each, k) => this.#run(each, { ...options, ...(k === 0 && { during }) })),
    );
    const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
    scene.log(
      `${name}${isVerified ? " with --verify" : ""} ended with ${ends.map(({ code }) => code)} after ${took}`,
    );
    const failed = ends.filter(({ code }) => code !== 0);
    const isThere = existsSync(scene.at(out));
    const isComplete = isThere && this.#expected[name].includes(scene.hashOf(out));
    if (failed.length === 0 && !isComplete)
      scene.note(`${out} of ${name} ${isThere ? "has other bytes" : "is missing"}`);
    if (fault === "killed") {
      if (isThere && !isComplete && !prints) scene.note(`${name} was killed and left a part of ${out}`);
    } else {
      for (const { code, stderr } of failed)
        this.#checkFailure(name, { code, stderr, fault, start, isSharded: given.length > 1 });
      if (failed.length > 0 && isThere && !isComplete && !prints)
        scene.note(`${name} failed and left ${out}`);
    }
    this.#clear(out, fault === "killed");
  }

  /** A command may fail only for a reason that it says, and that a fault has given. */
  #checkFailure(name, { code, stderr, fault, start, isSharded }) {
    const scene = this.#scene;
    scene.counts.refused++;
    const said = `${name} failed with code ${code}: ${stderr.trim().slice(0, 500)}`;
    if (!/^error: /m.test(stderr)) scene.note(`${said} (no error)`);
    const beganWithoutRedis = start < this.#redis.back && REFUSED.test(stderr);
    // Shards stop if they are not connected yet, or if their process was killed.
    const lostRedis = isSharded && start < this.#redis.back;
    const isFull = fault === "full disk" && /EFBIG|disk is full/.test(stderr);
    const isChanged = fault === "changed data" && /changed while it was read|does not exist/.test(stderr);
    if (!beganWithoutRedis && !lostRedis && !isFull && !isChanged) scene.note(said);
  }

  /** Removes the output; a command that was killed could not remove its temporary files. */
  #clear(out, mayLeaveParts) {
    const scene = this.#scene;
    const names = readdirSync(scene.folder).filter((name) => name === out || name.startsWith(`.${out}.`));
    for (const name of names) {
      if (name !== out && !mayLeaveParts) scene.note(`a part is left: ${name}`);
      rmSync(scene.at(name), { force: true });
    }
  }
}

function csvOf(columns) {
  const cell = ({ kind, values, levels, codes }, i) => (kind === "numeric" ? values[i] : levels[codes[i]]);
  const rows = Array.from({ length: (columns[0].values ?? columns[0].codes).length }, (_, i) =>
    columns.map((column) => cell(column, i)).join(","),
  );
  return [columns.map(({ name }) => name).join(","), ...rows, ""].join("\n");
}
