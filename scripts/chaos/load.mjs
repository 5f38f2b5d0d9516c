/** A server and its clients, which ask all the time: small, large and explained requests over HTTP, and calls of gRPC. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { GrpcClient } from "../../packages/serve/grpc-client.mjs";
import { vouch } from "./commands.mjs";
import { pause } from "./scene.mjs";

/** Milliseconds in which an answer and the recovery of the server must come. */
const ANSWER = 30_000;
const RECOVERY = 60_000;

/** The model that is served, and the two that it is replaced by. */
const MODEL = "served.safetensors";
const VERSIONS = ["reference-forest", "reference-boosted"];

const COLUMNS = Array.from({ length: 6 }, (_, j) => `x${j}`);
const cell = (i, j) => ((i * 7 + j * 13) % 101) / 101;
const records = (rows) =>
  Array.from({ length: rows }, (_, i) => Object.fromEntries(COLUMNS.map((name, j) => [name, cell(i, j)])));
const tensors = (rows) => ({
  model_name: "served",
  inputs: COLUMNS.map((name, j) => ({
    name,
    datatype: "FP64",
    shape: [rows],
    contents: { fp64_contents: Array.from({ length: rows }, (_, i) => cell(i, j)) },
  })),
});

/** What the server may answer if it has too much to do, and what a client sees of a process that has just ended. */
const BUSY = { http: [429, 503], grpc: [8] };
/** Deadline, cancelled by the connection, unavailable. */
const GRPC_GONE = [1, 4, 14];

export class Load {
  #scene;
  #server;
  #address;
  #grpc;
  #clients;
  #lastAnswer = 0;

  constructor(scene) {
    this.#scene = scene;
    this.#clients = {
      small: { rest: 50, ask: () => this.#post("predict", records(1)[0]) },
      reasons: { rest: 1000, ask: () => this.#post("predict?reasons=3", records(3)) },
      large: { rest: 1000, ask: () => this.#post("predict", records(3000)) },
      health: { rest: 500, isHealth: true, ask: () => this.#get("v2/health/ready") },
      grpc: { rest: 200, ask: () => this.#call("ModelInfer", tensors(2)) },
      "large gRPC": { rest: 1000, ask: () => this.#call("ModelInfer", tensors(3000)) },
      "gRPC health": { rest: 500, isHealth: true, ask: () => this.#call("ServerLive", {}) },
    };
  }

  /** Starts the server and learns what each of the two models answers. */
  async start() {
    const scene = this.#scene;
    scene.replace(MODEL, VERSIONS[0]);
    const flags = ["--port", "0", "--grpc-port", "0", "--workers", "2", "--quiet"];
    this.#server = spawn(process.execPath, [vouch, "serve", MODEL, ...flags], {
      cwd: scene.folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.on("exit", () => this.#server.kill("SIGKILL"));
    const lines = createInterface(this.#server.stdout)[Symbol.asyncIterator]();
    this.#address = (await lines.next()).value;
    this.#grpc = new GrpcClient((await lines.next()).value.replace(/^grpc:\/\//, ""));
    for (const client of Object.values(this.#clients)) client.expected = [(await client.ask()).text];
    await this.replaceModel();
    for (const client of Object.values(this.#clients)) {
      if (!client.isHealth) client.expected.push(await this.#otherAnswer(client));
    }
    this.#lastAnswer = performance.now();
  }

  get pid() {
    return this.#server.pid;
  }

  /** Lists the processes that answer requests. */
  get serving() {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  }

  /** Sends a signal to a process of the server; one that has just ended gets none. */
  signal(pid, name) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }

  takeModelAway(most) {
    return this.#scene.takeAway(MODEL, most);
  }

  /** Replaces the model file while requests run, and waits until the server answers with the new one. */
  async replaceModel() {
    const { small } = this.#clients;
    const before = await this.#patiently(small.ask);
    VERSIONS.reverse();
    this.#scene.replace(MODEL, VERSIONS[0]);
    await this.#otherAnswer(small, before);
  }

  /** Asks until the answer is another one: each process of the server loads a model by itself. */
  async #otherAnswer({ ask, expected }, before = expected[0]) {
    const end = performance.now() + RECOVERY;
    let answer = before;
    while (answer === before && performance.now() < end) {
      await pause(100);
      answer = await this.#patiently(ask);
    }
    if (answer === before) this.#scene.note("the server has not loaded the new model");
    return answer;
  }

  /** Asks until there is an answer. */
  async #patiently(ask) {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer?.status === 200) return answer.text;
      await pause(100);
      if (this.#scene.isOver) return undefined;
    }
  }

  /** Lets all clients ask until the run is over. */
  async askForever() {
    await Promise.all(Object.keys(this.#clients).map((name) => this.#askForever(name)));
  }

  /** A process that was killed may leave requests without an answer, but not for long. */
  async #askForever(name) {
    const { ask, rest, expected } = this.#clients[name];
    const scene = this.#scene;
    while (!scene.isOver) {
      try {
        const { status, text, isBusy } = await ask();
        if (isBusy) scene.counts.busy++;
        else if (status !== 200)
          scene.note(`the server answers ${name} with ${status}: ${text.slice(0, 300)}`);
        else if (!expected.includes(text))
          scene.note(`the server answers ${name} with ${text.slice(0, 300)}`);
        else {
          scene.count(scene.counts.answers, name);
          this.#lastAnswer = performance.now();
        }
      } catch {
        scene.counts.unanswered++;
        if (performance.now() - this.#lastAnswer > RECOVERY) {
          scene.note(`the server has not answered for ${RECOVERY / 1000} s`);
          this.#lastAnswer = performance.now();
        }
      }
      await pause(rest);
    }
  }

  async #post(path, body) {
    const headers = { "content-type": "application/json" };
    return this.#fetch(`models/served/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async #get(path) {
    return this.#fetch(path, {});
  }

  async #fetch(path, request) {
    const signal = AbortSignal.timeout(ANSWER);
    const response = await fetch(new URL(`/${path}`, this.#address), { ...request, signal });
    const { status } = response;
    return { status, text: await response.text(), isBusy: BUSY.http.includes(status) };
  }

  /** Calls a method; rejects if the process that had the call is gone. */
  async #call(method, request) {
    try {
      return { status: 200, text: JSON.stringify(await this.#grpc.call(method, request, ANSWER)) };
    } catch (error) {
      if (GRPC_GONE.includes(error.code)) throw error;
      return {
        status: `gRPC status ${error.code}`,
        text: error.message,
        isBusy: BUSY.grpc.includes(error.code),
      };
    }
  }

  /** A server of its own whose disk is too full for its state: it answers, ends, and leaves the state as it was. */
  async fillDiskOfState() {
    const scene = this.#scene;
    mkdirSync(scene.at("state"), { recursive: true });
    const contents = () =>
      JSON.stringify(readdirSync(scene.at("state")).map((name) => [name, scene.hashOf(`state/${name}`)]));
    for (const blocks of [1, "unlimited"]) {
      const before = contents();
      const command = `ulimit -f ${blocks}; exec "$@"`;
      const args = [vouch, "serve", "reference-forest", "--port", "0", "--state", "state", "--quiet"];
      const child = spawn("sh", ["-c", command, "sh", process.execPath, ...args], {
        cwd: scene.folder,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let stderr = "";
      child.stderr.on("data", (text) => {
        stderr += text;
      });
      const ended = new Promise((resolve) => child.once("close", resolve));
      const { value: address } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
      const feedback = Array.from({ length: 100 }, (_, i) => ({
        predicted: "yes",
        actual: i % 9 ? "yes" : "no",
      }));
      const response = await fetch(new URL("/models/reference-forest/feedback", address), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(feedback),
        signal: AbortSignal.timeout(ANSWER),
      });
      if (!response.ok) scene.note(`a server with a full disk answers ${response.status}`);
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), RECOVERY);
      const code = await ended;
      clearTimeout(timer);
      if (code !== 0) scene.note(`a server with --state ended with ${code}: ${stderr.slice(0, 300)}`);
      if (/unreadable/.test(stderr)) scene.note(`the state of a server was damaged: ${stderr.slice(0, 300)}`);
      const isSame = contents() === before;
      if (blocks === 1 && !isSame) scene.note("a full disk has changed the state of a server");
      if (blocks === 1 && !/Cannot save the monitoring state/.test(stderr))
        scene.note("a full disk was not reported");
      if (blocks !== 1 && isSame) scene.note("a server has not saved its state");
    }
  }

  /** Ends the server, which must answer what it has begun. */
  async end() {
    this.#grpc.close();
    const ended = new Promise((resolve) => this.#server.once("exit", resolve));
    this.#server.kill("SIGTERM");
    const code = await Promise.race([ended, pause(RECOVERY).then(() => "late")]);
    if (code !== 0) this.#scene.note(`the server has ended with ${code}`);
  }
}
