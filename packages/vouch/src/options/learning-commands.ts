import type { Command } from "commander";
import type { Terminal } from "../process/terminal.js";
import { withFields } from "./deferred-options.js";
import { addLearner, addToGrid, collect, commaList, type LearnerGrid } from "./flags.js";

/** Defines `vouch train`. */
export function addTrain(vouch: Command, terminal: Terminal): void {
  const train = vouch
    .command("train")
    .summary("train a classifier, measure and certify its error")
    .description(
      "Trains a classifier on DATA, measures its error on held-out rows, certifies it and saves it.",
    )
    .argument("<DATA>", "data file, '-' or data set name");
  withFields(train, ({ addTrainOptions }) => addTrainOptions(train)).action(async (data: string, flags) => {
    const { runTrain } = await import("../commands/train.js");
    await runTrain(data, flags, terminal);
  });
}

/** Defines `vouch select`. */
export function addSelect(vouch: Command, terminal: Terminal): void {
  const select = vouch
    .command("select")
    .summary("rank candidates by several criteria and choose one")
    .description(
      "Ranks candidates (learners with options) by one or more criteria and says where these disagree. The first criterion chooses.",
    )
    .argument("<DATA>", "data file, '-' or data set name");
  withFields(select, ({ addField, addFields, addPrinting, addLearning, addObjective, addCluster }) => {
    const grids: LearnerGrid[] = [];
    addFields(select, "target")
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
      .option("-o, --out <file>", "train the chosen candidate on all rows and save it here");
    addField(select, "folds", { help: "folds of cv", usual: 10 });
    addFields(select, "group", "time");
    addField(select, "holdout", {
      help: "hold out this fraction of the rows for holdout and adjusted-srm",
      usual: 0.2,
    });
    addField(select, "confidence", { help: "confidence of the bounds of srm and margin" });
    addPrinting(addFields(select, "seed", "threads"));
    addCluster(addObjective(addLearning(select)));
  }).action(async (data: string, flags) => {
    const { runSelect } = await import("../commands/select.js");
    await runSelect(data, flags, terminal);
  });
}

/** Defines `vouch compare`. */
export function addCompare(vouch: Command, terminal: Terminal): void {
  const compare = vouch
    .command("compare")
    .summary("compare learners: error, time, size, certificates")
    .description(
      "Compares learners on the same folds: error, time, size, and certificates from held-out rows. Paired tests compare each learner with the best one, and with always answering the most common class.",
    )
    .argument("<DATA>", "data file, '-' or data set name");
  withFields(compare, ({ addField, addFields, addPrinting, addLearning, addObjective, addCluster }) => {
    addFields(compare, "target")
      .option(
        "--learners <names>",
        "learners, separated by commas (default: one of each fast kind)",
        commaList,
      )
      .option("-s, --set <learner.name=value>", "set an option of a learner; repeatable", collect);
    addField(compare, "folds", { help: "number of folds", usual: 5 });
    addFields(compare, "group", "time");
    addField(compare, "holdout", {
      help: "hold out this fraction for certificates (default: official test rows, or 0.2 of 100 rows or more)",
    });
    addField(compare, "budget", { help: "time limit; learners that do not finish are listed" });
    addFields(compare, "report");
    addField(compare, "confidence", { help: "confidence that all certificates hold together" });
    addPrinting(addFields(compare, "seed", "threads"));
    addCluster(addObjective(addLearning(compare)));
  }).action(async (data: string, flags) => {
    const { runCompare } = await import("../commands/compare.js");
    await runCompare(data, flags, terminal);
  });
}
