import * as z from "zod";
import { requestFields } from "./field.js";

const word = () => z.string().optional();

/** What every result depends on in addition to the data and the learner options. */
export const seedFields = {
  seed: z.int().min(0).default(1).register(requestFields, {
    flags: "--seed <n>",
    help: "random seed",
    group: "run",
    form: "whole number",
    inModel: "always",
    shards: "same",
  }),
};

/** What a run may use. */
export const machineFields = {
  threads: z.int().min(1).max(1024).optional().register(requestFields, {
    flags: "--threads <n>",
    help: "number of threads; results do not depend on it",
    group: "run",
    form: "whole number",
    shards: "any",
  }),
  memory: z.number().positive().optional().register(requestFields, {
    flags: "--memory <size>",
    help: "memory limit, such as 4GB (default: 75% of the machine or container)",
    group: "run",
    form: "memory",
    shards: "any",
  }),
};

/** How a command prints its result. */
export const printingFields = {
  json: z.boolean().optional().register(requestFields, {
    flags: "--json",
    help: "print one JSON document and nothing else",
    group: "output",
    shards: "any",
  }),
  quiet: z.boolean().optional().register(requestFields, {
    flags: "-q, --quiet",
    help: "print no progress and no notes",
    group: "output",
    shards: "any",
  }),
};

const BY_INSPECT = { refused: "Use 'vouch inspect' on the model." };

/** The files that a training writes, and how much it prints. */
export const outputFields = {
  out: z.string().default("model.safetensors").register(requestFields, {
    flags: "-o, --out <file>",
    help: "model file to write",
    group: "output",
    place: 9,
    shards: "any",
  }),
  report: word().register(requestFields, {
    flags: "--report <file>",
    help: "also write an HTML report",
    group: "output",
    place: 10,
    shards: BY_INSPECT,
  }),
  reportWithout: z
    .array(z.enum(["rows", "model"]))
    .readonly()
    .optional()
    .register(requestFields, {
      flags: "--report-without <parts>",
      help: "parts to omit from the report: model, or rows (implies model)",
      group: "output",
      form: "report parts",
      shards: BY_INSPECT,
    }),
  record: word().register(requestFields, {
    flags: "--record <file>",
    help: "also save a log of the search for the best learner",
    group: "output",
    shards: { refused: "Shards do not search for a learner." },
  }),
  verbose: z.boolean().optional().register(requestFields, {
    flags: "--verbose",
    help: "print all options of the learners that were tried",
    group: "output",
    shards: "any",
  }),
};

/** The machines that a command runs on. */
export const clusterFields = {
  cluster: word().register(requestFields, {
    flags: "--cluster <url>",
    help: "run on the workers of a Redis server, such as redis://host:6379; results do not depend on it",
    group: "cluster",
    env: "VOUCH_CLUSTER",
    shards: "any",
  }),
  blobs: word().register(requestFields, {
    flags: "--blobs <place>",
    help: "where workers fetch large data: a shared folder, or s3://… (default: Redis)",
    group: "cluster",
    shards: { refused: "Every shard reads its own part of the data." },
  }),
  wait: z
    .number()
    .positive()
    .optional()
    .register(requestFields, {
      flags: "--wait <time>",
      help: "time to wait for a worker of --cluster (default: 30s)",
      group: "cluster",
      form: "duration",
      shards: { refused: "This command uses no workers." },
    }),
  verify: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .register(requestFields, {
      flags: "--verify <share>",
      help: "compute this share of the tasks twice and compare the results, such as 5%",
      group: "cluster",
      form: "percentage",
      shards: { refused: "This command uses no workers." },
    }),
};

/** The processes that divide the rows. */
export const shardFields = {
  shard: z
    .object({ index: z.int().min(1), of: z.int().min(1) })
    .readonly()
    .optional()
    .register(requestFields, {
      flags: "--shard <k/n>",
      help: "train on part k of n of the rows, with n - 1 more processes at the same --cluster",
      group: "cluster",
      form: "process share",
      shards: "any",
    }),
  runName: word().register(requestFields, {
    flags: "--run-name <name>",
    help: "name shared by all shards of this run (default: the name of DATA)",
    group: "cluster",
    shards: "any",
  }),
  connect: z.enum(["direct", "redis"]).optional().register(requestFields, {
    flags: "--connect <how>",
    help: "how shards connect (default: direct, but redis with rediss://)",
    group: "cluster",
    form: "choice",
    shards: "any",
  }),
  host: word().register(requestFields, {
    flags: "--host <address>",
    help: "address at which other shards reach this one (default: the address that connects to Redis)",
    group: "cluster",
    shards: "any",
  }),
};
