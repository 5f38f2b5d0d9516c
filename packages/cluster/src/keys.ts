import { VERSION } from "vouch/machines";
import { BUILD } from "./build-fingerprint.js";

/** All keys and channels in Redis begin with this. */
export const PREFIX = "vouch";

/** The major version of Node on this machine. */
export const NODE_VERSION = process.versions.node.split(".")[0];

/**
 * The version that run and workers must share. Another version of vouch, or another build of a version in development, may compute
 * other bits, or lay out inputs in another way. V8 may change with a major version of Node, and minor versions are updated one machine
 * at a time.
 */
export const CLUSTER_VERSION = `${VERSION}-node${NODE_VERSION}-${BUILD}`;

/** Kinds of jobs: those that take one thread of a worker, and those that take all. */
export const LANES = ["thread", "machine"] as const;

/** A kind of jobs. */
export type Lane = (typeof LANES)[number];

/** Returns the name of the queue of a lane; workers of other versions listen to others. */
export function queueName(lane: Lane): string {
  return `${lane}-${CLUSTER_VERSION}`;
}

/** The keys of one run. */
export const runKeys = (run: string) => ({
  /** Exists as long as the run is going on. */
  alive: `${PREFIX}:run:${run}`,
  /** A stream of what happened to its tasks. */
  events: `${PREFIX}:run:${run}:events`,
  /** A channel for what may get lost. */
  notes: `${PREFIX}:run:${run}:notes`,
  /** Which worker has tried which task that has not ended. */
  tries: `${PREFIX}:run:${run}:tries`,
});

/** The set of the ids of all runs. */
export const RUNS = `${PREFIX}:runs`;

/** The set of the ids of all workers, and the key of each. */
export const WORKERS = `${PREFIX}:workers`;
export const workerKey = (id: string) => `${PREFIX}:worker:${id}`;

/** The workers that have died, by time. */
export const DEATHS = `${PREFIX}:deaths`;

/** The channel on which runs tell workers to stop. */
export const CANCEL = `${PREFIX}:cancel`;

/** Seconds after which the keys of a run that nobody renews are gone. */
export const TIME_TO_LIVE = 120;

/** Returns the keys that BullMQ keeps for a queue, besides those of jobs and those with a time to live of their own. */
export function queueKeys(lane: Lane): string[] {
  return QUEUE_PARTS.map((part) => `${PREFIX}:${queueName(lane)}:${part}`);
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
