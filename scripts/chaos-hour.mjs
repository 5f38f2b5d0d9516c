/**
 * Runs commands on a cluster of this machine and asks a server for predictions, while faults come one after the other (scripts/chaos/faults.mjs):
 * workers, processes of the server and commands are killed or stopped (SIGSTOP), Redis is restarted or stopped, disks are full (ulimit -f), and
 * data and model files are taken away or replaced by others.
 *
 *   node scripts/chaos-hour.mjs --minutes 60 --seed 1        needs redis-server and a build; --minutes 5 is the short form
 *
 * Nothing may be false: every result has the bytes of one machine, and every answer is from one of the two models that are served. Nothing may be
 * lost: an output is complete, or the command says what the fault has done to it and leaves nothing; the server answers with 200, or is busy.
 * Nothing may hang: every command ends within its limit, the server answers again within a minute of a fault, and no key is left in Redis.
 * Prints a line for each fault and command, and a JSON document at the end; exits with 1 otherwise.
 */
import { parseArgs } from "node:util";
import { LocalRedis, LocalWorker } from "../packages/cluster/local-cluster.mjs";
import { Commands, STEADY } from "./chaos/commands.mjs";
import { faultsOn } from "./chaos/faults.mjs";
import { Load } from "./chaos/load.mjs";
import { pause, Scene } from "./chaos/scene.mjs";

const { values: flags } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
});
const WORKERS = 3;
/** Milliseconds in which a worker must end, and after which the keys of runs that were killed must be gone. */
const WORKER_ENDED = 60_000;
const KEYS_GONE = 240_000;

const scene = new Scene(Number(flags.seed));

/** Redis, and when it was back after it was away the last time: never as long as it is away. */
class AwayRedis extends LocalRedis {
  back = 0;

  restart(most) {
    return this.#away(async () => {
      await this.kill();
      await scene.pauseUpTo(most);
      await this.start();
    });
  }

  stopFor(most) {
    return this.#away(async () => {
      this.signal("SIGSTOP");
      await scene.pauseUpTo(most);
      this.signal("SIGCONT");
    });
  }

  async #away(fault) {
    this.back = Number.POSITIVE_INFINITY;
    await fault();
    this.back = performance.now();
  }
}

/** Workers, one of which faults are about. */
class Workers {
  #all = [];
  #k = 0;

  async start(url) {
    this.url = url;
    this.#all = await Promise.all(Array.from({ length: WORKERS }, () => this.#joined()));
  }

  /** The worker that the next fault is about. */
  get current() {
    return this.#all[this.#k];
  }

  async replaceOne() {
    this.#k = (this.#k + 1) % WORKERS;
    await this.current.kill();
    this.#countTasks(this.current);
    this.#all[this.#k] = await this.#joined();
  }

  async end() {
    for (const worker of this.#all) {
      const isLate = await Promise.race([
        worker.stop().then(() => false),
        pause(WORKER_ENDED).then(() => true),
      ]);
      if (isLate) scene.note("a worker has not ended");
      this.#countTasks(worker);
    }
  }

  #joined() {
    return new LocalWorker(this.url, 1).joined();
  }

  #countTasks({ output }) {
    scene.counts.tasks += output.match(/^done /gm)?.length ?? 0;
  }
}

const redis = new AwayRedis();
const commands = new Commands(scene);
const load = new Load(scene);
const workers = new Workers();
await commands.prepare(redis);
await redis.start();
await workers.start(redis.url);
await load.start();
const faults = faultsOn(scene, { redis, workers, commands, load });
scene.endAfter(Number(flags.minutes));

async function failForever() {
  while (!scene.isOver) {
    await pause(1000 + 4000 * scene.uniform());
    const name = scene.pick(Object.keys(faults));
    scene.count(scene.counts.faults, name);
    scene.log(name);
    await faults[name]();
  }
}

async function workForever() {
  while (!scene.isOver) await commands.attempt(scene.pick(STEADY));
}

await Promise.all([load.askForever(), failForever(), workForever()]);
await load.end();
await workers.end();
if (scene.counts.tasks === 0) scene.note("no worker has run a task");
const end = performance.now() + KEYS_GONE;
let left = await redis.keys();
while (left.length > 0 && performance.now() < end) {
  await pause(1000);
  left = await redis.keys();
}
if (left.length > 0) scene.note(`keys are left in Redis: ${left.slice(0, 10).join(", ")}`);
await redis.stop();
const { counts, wrong } = scene;
console.log(
  JSON.stringify({ minutes: Number(flags.minutes), seed: Number(flags.seed), ...counts, wrong }, null, 2),
);
process.exit(wrong.length === 0 ? 0 : 1);
