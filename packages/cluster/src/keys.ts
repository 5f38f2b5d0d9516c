import { VERSION } from "@vouch/core/internal/runtime/version";
import { BUILD } from "./build-fingerprint.js";

/** All keys and channels in Redis begin with this, unless the address names a prefix. */
export const DEFAULT_PREFIX = "vouch";

/** The major version of Node on this machine. */
const NODE_VERSION = process.versions.node.split(".")[0];

/**
 * The version that run and workers must share. Another version of vouch, or another build of a version in development, may compute
 * other bits, or lay out inputs in another way. V8 may change with a major version of Node, and minor versions are updated one machine
 * at a time.
 */
export const CLUSTER_VERSION = `${VERSION}-node${NODE_VERSION}-${BUILD}`;

/** Kinds of jobs: those that take one thread of a worker, and those that take all. */
export const LANES = ["thread", "machine"] as const;

/** A kind of jobs. */
export type JobKind = (typeof LANES)[number];

/** Returns the name of the queue of a lane; workers of other versions listen to others. */
export function queueName(lane: JobKind): string {
  return `${lane}-${CLUSTER_VERSION}`;
}

/** Seconds after which the keys of a run that nobody renews are gone. */
export const TIME_TO_LIVE = 120;

/** The names of all keys and channels in Redis. They begin with a prefix: runs and workers with different prefixes do not see each other. */
export class KeySpace {
  readonly prefix: string;
  /** The set of the ids of all runs. */
  readonly runs: string;
  /** The set of the ids of all workers. */
  readonly workers: string;
  /** The workers that have died, by time. */
  readonly deaths: string;
  /** The channel on which runs tell workers to stop. */
  readonly cancel: string;

  constructor(prefix = DEFAULT_PREFIX) {
    this.prefix = prefix;
    this.runs = this.key("runs");
    this.workers = this.key("workers");
    this.deaths = this.key("deaths");
    this.cancel = this.key("cancel");
  }

  /** Returns the key of a thing. */
  key(...names: readonly (string | number)[]): string {
    return [this.prefix, ...names].join(":");
  }

  /** The keys of one run. */
  run(id: string) {
    return {
      /** Exists as long as the run is going on. */
      alive: this.key("run", id),
      /** A stream of what happened to its tasks. */
      events: this.key("run", id, "events"),
      /** A channel for what may get lost. */
      notes: this.key("run", id, "notes"),
      /** Which worker has tried which task that has not ended. */
      tries: this.key("run", id, "tries"),
    };
  }

  worker(id: string): string {
    return this.key("worker", id);
  }

  job(lane: JobKind, id: string): string {
    return this.key(queueName(lane), id);
  }

  /** Returns the keys that BullMQ keeps for all queues, apart from those of jobs and those with a time to live of their own. */
  queues(): string[] {
    return LANES.flatMap((lane) => this.queue(lane));
  }

  /** Returns the same for the queue of a lane. */
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
