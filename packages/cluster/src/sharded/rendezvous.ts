import { randomBytes, randomUUID } from "node:crypto";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { CLUSTER_VERSION } from "../keys.js";
import type { RedisConnection } from "../redis-connection.js";
import { withTimeout } from "../time-limit.js";
import type { ShardAddress } from "./tcp-transport.js";

/** Milliseconds between two checks for shards that have not joined. */
const LOOK_AGAIN = 100;

/** Number of heartbeats in the time after which a shard counts as dead. */
const BEATS = 5;

/** Events about other shards. */
export interface Guests {
  /** A shard has joined, with its address if it accepts connections. */
  joined(shard: number, address: ShardAddress | undefined): void;
  /** A shard that had joined sends no more heartbeats. */
  silent(shard: number, why: string): void;
  failed(shard: number, why: string): void;
  /** The run cannot continue. */
  broken(error: Error): void;
}

interface MeetingOptions {
  readonly redis: RedisConnection;
  readonly run: string;
  readonly shard: number;
  readonly shards: number;
  /** Milliseconds for all shards to join. */
  readonly join: number;
  /** Milliseconds without a heartbeat after which a shard counts as dead. */
  readonly silence: number;
}

/** What a shard publishes about itself. */
interface Presence {
  readonly id: string;
  readonly version: string;
  readonly shards: number;
  readonly address: ShardAddress | undefined;
}

/** Lets the shards of a run find each other and send heartbeats, by keys in Redis. */
export class Rendezvous {
  readonly #options: MeetingOptions;
  readonly #id = randomUUID();
  readonly #seen = new Set<number>();
  readonly #began = Date.now();
  #presence = "";
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: MeetingOptions) {
    this.#options = options;
  }

  key(...names: readonly (string | number)[]): string {
    return this.#options.redis.keySpace.key("shards", this.#options.run, ...names);
  }

  /** Returns the secret of the run, which the first shard generates. */
  async secret(): Promise<Buffer> {
    const { redis } = this.#options;
    const drawn = randomBytes(32).toString("hex");
    await redis.set(this.key("secret"), drawn, "PX", this.#secretLife, "NX");
    return Buffer.from((await redis.get(this.key("secret"))) ?? drawn, "hex");
  }

  /** Joins the run, and reports events about other shards from then on. Throws if this shard number is taken. */
  async join(address: ShardAddress | undefined, guests: Guests): Promise<void> {
    const { redis, shard, shards, silence, run } = this.#options;
    const presence: Presence = { id: this.#id, version: CLUSTER_VERSION, shards, address };
    this.#presence = JSON.stringify(presence);
    const place = this.key("alive", shard);
    if ((await redis.set(place, this.#presence, "PX", silence, "NX")) === null) {
      throw new VouchError("option/invalid", `Shard ${shard + 1} of run "${run}" is running already.`, {
        hint: `Give every process a number of its own and every run a new name. A process that was killed counts for ${silence / 1000} s.`,
      });
    }
    await this.#beat(guests);
  }

  /**
   * Publishes that this shard has failed. The note expires after all other shards have seen it, and a new run of the
   * same name ignores it.
   */
  async tell(failure: string): Promise<void> {
    const { redis, shard, silence } = this.#options;
    const life = Math.ceil((1.5 * silence) / BEATS);
    await redis.set(this.key("failed"), `${shard} ${failure}`, "PX", life, "NX").catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const { redis, shard } = this.#options;
    // Delete the key only if it belongs to this process, not to another one with the same number.
    const place = this.key("alive", shard);
    const isOwn = this.#presence !== "" && (await redis.get(place).catch(() => null)) === this.#presence;
    if (isOwn) await redis.del(place, this.key("secret")).catch(() => {});
  }

  /** Milliseconds after which the secret expires, unless a shard is left: others may still join until then. */
  get #secretLife(): number {
    return this.#options.join + this.#options.silence;
  }

  get #isComplete(): boolean {
    return this.#seen.size === this.#options.shards;
  }

  /** Sends a heartbeat, checks the heartbeats of other shards, and schedules itself. */
  async #beat(guests: Guests): Promise<void> {
    const { redis, shard, shards, silence } = this.#options;
    try {
      const keys = Array.from({ length: shards }, (_, other) => this.key("alive", other));
      await withTimeout(redis.set(this.key("alive", shard), this.#presence, "PX", silence), silence);
      await withTimeout(redis.pexpire(this.key("secret"), this.#secretLife), silence);
      const [failed, ...lives] = await withTimeout(redis.mget(this.key("failed"), ...keys), silence);
      if (this.#closed) return;
      for (const [other, life] of lives.entries()) this.#look(other, life, guests);
      if (failed !== null) {
        const [other, ...words] = failed.split(" ");
        if (Number(other) !== shard) guests.failed(Number(other), words.join(" "));
      }
    } catch (cause) {
      if (this.#closed) return;
      guests.broken(new VouchError("task/failed", "The connection to Redis is lost.", { cause }));
    }
    if (this.#closed) return;
    const pause = silence / BEATS;
    this.#timer = setTimeout(
      () => void this.#beat(guests),
      this.#isComplete ? pause : Math.min(LOOK_AGAIN, pause),
    );
  }

  #look(other: number, life: string | null, guests: Guests): void {
    const { shard, shards, join, silence } = this.#options;
    if (life === null) {
      if (this.#seen.has(other)) guests.silent(other, `has not been heard of for ${silence / 1000} s`);
      else if (Date.now() - this.#began > join)
        guests.broken(
          new VouchError("task/worker-died", `Shard ${other + 1} has not joined within ${join / 1000} s.`, {
            hint: "Start all shards, with the same name of the run and the same Redis server.",
          }),
        );
      return;
    }
    if (this.#seen.has(other)) return;
    this.#seen.add(other);
    const presence = presenceFrom(life);
    if (presence?.version !== CLUSTER_VERSION) guests.broken(otherVersion(other, presence?.version));
    else if (presence.shards !== shards) {
      guests.broken(
        new VouchError(
          "option/invalid",
          `Shard ${other + 1} is one of ${presence.shards}, but shard ${shard + 1} is one of ${shards}.`,
          { hint: "Start all shards of a run with the same options." },
        ),
      );
    } else if (other !== shard) guests.joined(other, presence.address);
  }
}

function otherVersion(shard: number, version = "an unknown version"): VouchError {
  return new VouchError(
    "cluster/version",
    `Shard ${shard + 1} runs ${version}, but this one runs ${CLUSTER_VERSION}.`,
    { hint: "Install the same version of vouch and of Node on all machines." },
  );
}

/** Parses what another shard has published; undefined if it is invalid. */
function presenceFrom(text: string): Presence | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(json)) return undefined;
  const { id, version, shards, address } = json;
  if (typeof id !== "string" || typeof version !== "string" || typeof shards !== "number") return undefined;
  if (!isRecord(address)) return { id, version, shards, address: undefined };
  const { host, port } = address;
  if (typeof host !== "string" || !(typeof port === "number" && port > 0 && port < 65536)) return undefined;
  return { id, version, shards, address: { host, port } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
