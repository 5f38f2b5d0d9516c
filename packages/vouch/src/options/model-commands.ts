import { type Command, Option } from "commander";
import type { Terminal } from "../process/terminal.js";
import { withFields, withPrinting } from "./deferred-options.js";
import { commaList, wholeNumber } from "./flags.js";

/** Defines `vouch predict`. */
export function addPredict(vouch: Command, terminal: Terminal): void {
  const predict = vouch
    .command("predict")
    .summary("predict the class of new rows")
    .description(
      "Predicts the class of every row of DATA and writes a CSV file with the column 'prediction'.",
    )
    .argument("<MODEL>", "model file")
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-o, --out <file>", "file to write (default: standard output)")
    .option("--probabilities", "also write the probability of each class, in columns 'probability:CLASS'")
    .option("--threshold <class=p>", "predict this class if its probability is at least p")
    .option(
      "--reasons <n>",
      "also write the n columns that matter most for each prediction",
      wholeNumber("reasons", 1, 1000),
    )
    .option("--scores", "also write the model's own scores, in columns 'score:CLASS'")
    .option("--keep <columns>", "also copy these columns of DATA, separated by commas", commaList)
    .option("--safe-csv", "write ' before strings that a spreadsheet would run as a formula");
  withFields(predict, ({ addFields, addPrinting, addReading, addCluster }) => {
    addFields(predict, "threads");
    addCluster(addReading(addPrinting(withStrict(predict))));
  }).action(async (model: string, data: string, flags) => {
    const { runPredict } = await import("../commands/predict.js");
    await runPredict(model, data, flags, terminal);
  });
}

/** Defines `vouch evaluate`. */
export function addEvaluate(vouch: Command, terminal: Terminal): void {
  const evaluate = vouch
    .command("evaluate")
    .summary("measure a model's error on labelled rows")
    .description(
      "Predicts the rows of DATA and prints the verdict, the error, other measures and the confusion matrix. It makes no guarantee: see certify.",
    )
    .argument("<MODEL>", "model file")
    .argument("<DATA>", "data file, '-' or data set name");
  withFields(evaluate, ({ addPrinting, addReading }) => {
    addReading(addPrinting(withStrict(evaluate)));
  }).action(async (model: string, data: string, flags) => {
    const { runEvaluate } = await import("../commands/evaluate.js");
    await runEvaluate(model, data, flags, terminal);
  });
}

/** Defines `vouch certify`. */
export function addCertify(vouch: Command, terminal: Terminal): void {
  const certify = vouch
    .command("certify")
    .summary("bound the error on new data")
    .description(
      "Prints one bound of MODEL on each measure. DATA are labelled rows that took no part in training.",
    )
    .argument("<MODEL>", "model file")
    .argument("[DATA]", "held-out data file, '-' or data set name")
    .option("--full", "print every certificate with its terms and premises");
  withFields(certify, ({ addField, addFields, addPrinting, addReading }) => {
    addFields(certify, "confidence");
    addField(certify, "cost", { help: "also certify the mean cost; other errors cost 1; repeatable" });
    addReading(addPrinting(withStrict(certify)));
  }).action(async (model: string, data: string | undefined, flags) => {
    const { runCertify } = await import("../commands/certify.js");
    await runCertify(model, data, flags, terminal);
  });
}

/** Defines `vouch inspect`. */
export function addInspect(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("inspect")
      .summary("show a model's options, error and structure")
      .description("Prints the learner, options, training data, error and structure of a model.")
      .argument("<MODEL>", "model file"),
  ).action(async (model: string, flags) => {
    const { runInspect } = await import("../commands/inspect.js");
    await runInspect(model, flags, terminal);
  });
}

/** Defines `vouch export`. */
export function addExport(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("export")
      .summary("write a model for another program")
      .description(
        "Writes a model as an ONNX file that takes raw rows, for other languages, or an svm model as a LIBSVM model file.",
      )
      .argument("<MODEL>", "model file")
      .addOption(
        new Option("--format <name>", "format to write (default: onnx if --out ends in .onnx)").choices([
          "onnx",
          "libsvm",
        ]),
      )
      .requiredOption("-o, --out <file>", "file to write")
      .option("--data <DATA>", "rows to encode for svm-predict (libsvm only)")
      .option("--data-out <file>", "file to write the encoded rows to (libsvm only)"),
  ).action(async (model: string, flags) => {
    const { runExport } = await import("../commands/export.js");
    await runExport(model, flags, terminal);
  });
}

/** Defines `vouch import`. */
export function addImport(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("import")
      .summary("read a model from another program")
      .description(
        "Converts a LIBSVM model file into a vouch model with the columns f1, f2, … of LIBSVM data files.",
      )
      .argument("<FILE>", "model file of the other program")
      .addOption(
        new Option("--format <name>", "format of the other program")
          .choices(["libsvm"])
          .makeOptionMandatory(),
      )
      .requiredOption("-o, --out <file>", "model file to write")
      .option(
        "--features <n>",
        "number of features (default: the largest index in the file)",
        wholeNumber("features", 1, 2_000_000),
      ),
  ).action(async (file: string, flags) => {
    const { runImport } = await import("../commands/libsvm.js");
    await runImport(file, flags, terminal);
  });
}

/** Defines `vouch sign`. */
export function addSign(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("sign")
      .summary("sign a model or another file")
      .description(
        "Signs FILE with an Ed25519 key, so that others can verify that it is yours and unchanged. The signature is a separate file.",
      )
      .argument("<FILE>", "file to sign")
      .requiredOption("--key <file>", "private key (PEM), made with 'openssl genpkey -algorithm ed25519'")
      .option("-o, --out <file>", "signature file to write (default: FILE.sig)"),
  ).action(async (file: string, flags) => {
    const { runSign } = await import("../commands/sign.js");
    await runSign(file, flags, terminal);
  });
}

/** Defines `vouch verify`. */
export function addVerify(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("verify")
      .summary("verify the signature of a file")
      .description(
        "Checks that FILE is unchanged since the owner of the key signed it. Exits with 1 if it is not.",
      )
      .argument("<FILE>", "signed file")
      .requiredOption("--key <file>", "public key (PEM) of the person who signed it")
      .option("--signature <file>", "signature file (default: FILE.sig)"),
  ).action(async (file: string, flags) => {
    const { runVerify } = await import("../commands/sign.js");
    await runVerify(file, flags, terminal);
  });
}

/** Adds the flag of commands that use a model on other rows. */
function withStrict(command: Command): Command {
  return command.option(
    "--strict",
    "fail, instead of printing a note, if rows look unlike the training data",
  );
}
