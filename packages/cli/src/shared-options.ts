import { type Command, Option } from "commander";
import { collect, commaList, delimiter, duration, memorySize, processShare, wholeNumber } from "./flags.js";

/** Adds the flags of commands that learn: how to read DATA, and what its columns are. A model file remembers the latter. */
export function withLearning(command: Command): Command {
  return withReading(
    command
      .option("--date <columns>", "columns of dates, separated by commas", commaList)
      .option("--text <columns>", "columns of prose, separated by commas", commaList)
      .option("--merge-classes", "merge classes that differ only in case, spaces or a typo"),
  );
}

/** Adds the flags that say what a good model is. */
export function withObjective(command: Command): Command {
  return command
    .option(
      "--metric <name>",
      "metric to optimise: error, balanced-error, auc, log-loss, brier, f1 (default: error)",
    )
    .option(
      "--cost <true:predicted=cost>",
      "minimise the mean cost; errors that are not named cost 1; repeatable",
      collect,
    )
    .option("--positive <class>", "positive class for f1, thresholds and curves (default: the rarer of two)")
    .option(
      "--class-weights <weights>",
      "weights of classes in training: balanced, or CLASS=WEIGHT; repeatable",
      collect,
    );
}

/** Adds the flags that say how to read DATA, and how much memory that may take. */
export function withReading(command: Command): Command {
  return command
    .option("--categorical <columns>", "categorical columns, separated by commas", commaList)
    .option("--numeric <columns>", "numeric columns, separated by commas", commaList)
    .option("--ignore <columns>", "columns to ignore, separated by commas", commaList)
    .option("--format <name>", "input format (default: from the file extension)")
    .option("--delimiter <character>", "delimiter of a csv file (default: detected)", delimiter)
    .option("--decimal-comma", "numbers have a decimal comma: 0,5 (default: decided by each column)")
    .option("--no-decimal-comma", "numbers have a decimal point: commas separate thousands")
    .option("--missing <words>", "further words for a missing value, separated by commas", commaList)
    .option("--encoding <name>", "encoding of a text file, such as windows-1252 (default: detected)")
    .option("--sheet <name>", "sheet of a workbook, by name or number (default: the first with a table)")
    .option("--skip <n>", "lines above the header to skip (default: detected)", wholeNumber("skip", 0))
    .option(
      "--header-row <n>",
      "line that names the columns, from 1 (default: detected)",
      wholeNumber("header-row", 1),
    )
    .option("--keep-totals", "read a last line such as Total as a row")
    .option("--no-header", "the file has no header line; columns are named column1, column2, …")
    .addOption(memoryOption());
}

/** Adds the flags of commands that can use other machines. */
export function withCluster(command: Command): Command {
  return command
    .addOption(clusterOption())
    .addOption(blobsOption())
    .option("--wait <time>", "time to wait for a worker of --cluster (default: 30s)", duration("wait"));
}

/** Adds the flags of a command whose rows can be divided among processes. */
export function withShards(command: Command): Command {
  return command
    .option(
      "--shard <k/n>",
      "train on the k-th of n parts of the rows, together with n - 1 more processes at the same --cluster",
      processShare("shard"),
    )
    .option("--run-name <name>", "name that the shards of a run find each other by (default: that of DATA)")
    .addOption(
      new Option(
        "--connect <how>",
        "how shards talk: directly, or through Redis (default: direct, but redis with rediss://)",
      ).choices(["direct", "redis"]),
    )
    .option(
      "--host <address>",
      "address of this machine that other shards reach (default: that on its way to Redis)",
    );
}

/** The address of the Redis server of a cluster. */
export function clusterOption(): Option {
  return new Option(
    "--cluster <url>",
    "run on the workers of a Redis server, such as redis://host:6379; results do not depend on it",
  ).env("VOUCH_CLUSTER");
}

/** The place of blobs. */
export function blobsOption(): Option {
  return new Option(
    "--blobs <place>",
    "where workers find large data: a shared folder, or s3://… (default: Redis)",
  );
}

/** Adds the flag of commands that use a model on other rows. */
export function withStrict(command: Command): Command {
  return command.option("--strict", "fail if the rows look unlike the training rows, instead of a note");
}

/** Adds the flags of commands that print a result. */
export function withPrinting(command: Command): Command {
  return command
    .option("--json", "print one JSON document and nothing else")
    .option("-q, --quiet", "print no progress and no notices");
}

/** The column whose groups stay together. */
export function groupOption(): Option {
  return new Option(
    "--group <column>",
    "keep rows with the same value here together, as those of one patient",
  );
}

/** The column with the time of each row. */
export function timeOption(): Option {
  return new Option("--time <column>", "train on the past and test on the future, by numbers or ISO dates");
}

/** The memory limit. */
export function memoryOption(): Option {
  return new Option(
    "--memory <size>",
    "most memory to use, such as 4GB (default: 75 % of the machine or container)",
  ).argParser(memorySize("memory"));
}

/** The number of threads. */
export function threadsOption(): Option {
  return new Option("--threads <n>", "number of threads; results do not depend on it").argParser(
    wholeNumber("threads", 1, 1024),
  );
}
