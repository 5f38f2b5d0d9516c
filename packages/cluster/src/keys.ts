import { VERSION } from "@vouch/core/internal/runtime/version";
import { BUILD } from "./build-fingerprint.js";

/** Default prefix of all keys and channels in Redis; the address may name another. */
export const DEFAULT_PREFIX = "vouch";

/** The major version of Node on this machine. */
const NODE_VERSION = process.versions.node.split(".")[0];

/**
 * Version that run and workers must share. Another version or development build of vouch may compute other bits, or
 * encode inputs differently. V8 may change with a major version of Node. Minor versions are not part of it, because
 * machines are updated one at a time.
 */
export const CLUSTER_VERSION = `${VERSION}-node${NODE_VERSION}-${BUILD}`;

/** Kinds of jobs: those that use one thread of a worker, and those that use all. */
export const LANES = ["thread", "machine"] as const;

export type JobKind = (typeof LANES)[number];

/** Returns the name of a lane's queue, which includes the version. */
export function queueName(lane: JobKind): string {
  return `${lane}-${CLUSTER_VERSION}`;
}

/** Seconds after which keys that nobody renews expire. */
export const TIME_TO_LIVE = 120;

/** Names of all keys and channels in Redis. Their common prefix separates runs and workers of different teams. */
export class KeySpace {
  readonly prefix: string;
  /** Set of all run IDs. */
  readonly runs: string;
  /** Set of all worker IDs. */
  readonly workers: string;
  /** Dead workers by time of death. */
  readonly deaths: string;
  /** Channel for stopping runs. */
  readonly cancel: string;

  constructor(prefix = DEFAULT_PREFIX) {
    this.prefix = prefix;
    this.runs = this.key("runs");
    this.workers = this.key("workers");
    this.deaths = this.key("deaths");
    this.cancel = this.key("cancel");
  }

  key(...names: readonly (string | number)[]): string {
    return [this.prefix, ...names].join(":");
  }

  run(id: string) {
    return {
      /** Exists while the run is active. */
      alive: this.key("run", id),
      /** Stream of task events. */
      events: this.key("run", id, "events"),
      /** Channel for notes that may get lost. */
      notes: this.key("run", id, "notes"),
      /** Which worker has tried which unfinished task. */
      tries: this.key("run", id, "tries"),
    };
  }

  worker(id: string): string {
    return this.key("worker", id);
  }

  job(lane: JobKind, id: string): string {
    return this.key(queueName(lane), id);
  }

  /** Lists BullMQ's keys for all queues, except job keys and keys with their own time to live. */
  queues(): string[] {
    return LANES.flatMap((lane) => this.queue(lane));
  }

  /** Lists the same keys for one lane. */
  queue(lane: JobKind): string[] {
    return QUEUE_PARTS.map((part) => this.key(queueName(lane), part));
  }
}

const QUEUE_PARTS = [
  "wait",
  "active",
  "delayed",
  "prioritized",
  "waiting-children",
  "paused",
  "completed",
  "failed",
  "stalled",
  "events",
  "meta",
  "id",
  "pc",
  "marker",
];
