import { type Command, Option } from "commander";
import {
  addLearner,
  addToGrid,
  collect,
  commaList,
  duration,
  fraction,
  type LearnerGrid,
  reportParts,
  share,
  wholeNumber,
} from "./flags.js";
import {
  groupOption,
  threadsOption,
  timeOption,
  withCluster,
  withLearning,
  withObjective,
  withPrinting,
  withShards,
} from "./shared-options.js";
import type { Terminal } from "./terminal.js";

/** Defines `vouch train`. */
export function addTrain(vouch: Command, terminal: Terminal): void {
  const train = vouch
    .command("train")
    .summary("train a classifier, measure and certify its error")
    .description(
      "Trains a classifier on DATA, measures its error on held-out rows, certifies it and saves it.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "target column (default: guessed by its name, else the last column)")
    .option("-l, --learner <name>", "learner (default: the best one found within the budget)")
    .option("-s, --set <name=value>", "set an option of the learner; repeatable", collect)
    .option(
      "--budget <time>",
      "time for finding and training the best learner (default: 60s)",
      duration("budget"),
    )
    .option("--single", "choose a single model, not an ensemble")
    .option("--record <file>", "also write what the search for the best learner has tried")
    .option("--replay <file>", "repeat the search of a --record, without a time limit")
    .option("--like <MODEL>", "train with the learner, the options and the seed of this model file")
    .option(
      "--abstain <share>",
      "answer only where the error of the answers can be kept at or below this, such as 2%",
      share("abstain"),
    )
    .option(
      "--sets <share>",
      "also make sets of classes that have the right one with this probability, such as 95%",
      share("sets"),
    )
    .addOption(
      new Option("--sets-by <what>", "keep the coverage of --sets on average or in every class").choices([
        "all",
        "class",
      ]),
    )
    .option("--no-calibrate", "do not calibrate the probabilities, which may take further fits")
    .option("--unlabelled <DATA>", "more rows for pre-training; their classes are ignored")
    .option("--test <DATA>", "measure the error on these rows")
    .option(
      "--holdout <fraction>",
      "measure the error on this fraction of the rows (default: 0.2, or folds of fewer than 100 rows)",
      fraction("holdout"),
    )
    .option("--stratify", "hold out the same share of each class; certificates then assume these shares")
    .option("--folds <k>", "measure the error by k-fold cross-validation", wholeNumber("folds", 2))
    .addOption(groupOption())
    .addOption(timeOption())
    .option("--rows <n>", "train on a stratified subsample of at most this many rows", wholeNumber("rows", 2))
    .option(
      "--chosen-among <k>",
      "these rows chose --learner among k candidates before; training certificates take this into account",
      wholeNumber("chosen-among", 1),
    )
    .option("-o, --out <file>", "model file to write", "model.safetensors")
    .option("--report <file>", "also write an HTML report")
    .option(
      "--report-without <parts>",
      "leave the model out of the report ('model'), or all rows and the model ('rows')",
      reportParts,
    )
    .option("--confidence <level>", "confidence of the certificates", fraction("confidence"), 0.95)
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption());
  withShards(withCluster(withObjective(withLearning(withPrinting(train))))).action(
    async (data: string, flags) => {
      if (flags.shard !== undefined) {
        const { trainOnShard } = await import("./commands/train-on-shard.js");
        await trainOnShard(data, flags, terminal);
        return;
      }
      const { train } = await import("./commands/train.js");
      await train(data, flags, terminal);
    },
  );
}

/** Defines `vouch select`. */
export function addSelect(vouch: Command, terminal: Terminal): void {
  const grids: LearnerGrid[] = [];
  const select = vouch
    .command("select")
    .summary("rank candidates by several criteria and choose one")
    .description(
      "Ranks candidates (learners with options) by one or more criteria and says where these disagree. The first criterion chooses.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "target column (default: guessed by its name, else the last column)")
    .option("-l, --learner <name>", "a candidate learner; repeatable", addLearner(grids))
    .option(
      "-g, --grid <name=values...>",
      "values for an option of the preceding learner, separated by commas (lists by ';'); all combinations are tried",
      addToGrid(grids),
    )
    .option(
      "--by <criteria>",
      "criteria, separated by commas: cv, holdout, leave-one-out, srm, adjusted-srm, margin, aic, bic, reconstruction (default: cv)",
      commaList,
    )
    .option("--folds <k>", "folds of cv", wholeNumber("folds", 2), 10)
    .addOption(groupOption())
    .addOption(timeOption())
    .option(
      "--holdout <fraction>",
      "fraction of the rows held out by holdout and adjusted-srm",
      fraction("holdout"),
      0.2,
    )
    .option(
      "--confidence <level>",
      "confidence of the bounds of srm and margin",
      fraction("confidence"),
      0.95,
    )
    .option("-o, --out <file>", "train the chosen candidate on all rows and save it here")
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption());
  withCluster(withObjective(withLearning(withPrinting(select)))).action(async (data: string, flags) => {
    const { selectCommand } = await import("./commands/select.js");
    await selectCommand(data, flags, terminal);
  });
}

/** Defines `vouch compare`. */
export function addCompare(vouch: Command, terminal: Terminal): void {
  const compare = vouch
    .command("compare")
    .summary("compare learners: error, time, size, certificates")
    .description(
      "Compares learners on the same folds: error with paired tests against the best and against always answering the commonest class, time, size, and certificates from held-out rows.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "target column (default: guessed by its name, else the last column)")
    .option("--learners <names>", "learners, separated by commas (default: one of each fast kind)", commaList)
    .option("-s, --set <learner.name=value>", "set an option of a learner; repeatable", collect)
    .option("--folds <k>", "number of folds", wholeNumber("folds", 2), 5)
    .addOption(groupOption())
    .addOption(timeOption())
    .option(
      "--holdout <fraction>",
      "fraction of the rows held out for certificates (default: official test rows, or 0.2 of 100 rows or more)",
      fraction("holdout"),
    )
    .option("--budget <time>", "time limit; learners that do not fit into it are listed", duration("budget"))
    .option("--report <file>", "also write an HTML report")
    .option(
      "--confidence <level>",
      "confidence that all certificates hold together",
      fraction("confidence"),
      0.95,
    )
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption());
  withCluster(withObjective(withLearning(withPrinting(compare)))).action(async (data: string, flags) => {
    const { compareCommand } = await import("./commands/compare.js");
    await compareCommand(data, flags, terminal);
  });
}
