import { portableTasks } from "@vouch/core/internal/portable-tasks";
import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Command, Option } from "commander";
import { commandLine } from "vouch/internal/options/command-line";
import { collect, type LongRunFlags, processShare } from "vouch/internal/options/flags";
import { addExamples } from "vouch/internal/options/help-layout";
import { addCluster, addFields, addPrinting } from "vouch/internal/options/request-options";
import { addWorker } from "vouch/internal/options/worker-command";
import { withCommandContext } from "vouch/internal/process/command-context";
import { checkOutputs, fileOrOutput } from "vouch/internal/process/output-file";
import {
  noticePrinter,
  printJson,
  proseWidth,
  styled,
  type Terminal,
  wrap,
  writeText,
} from "vouch/internal/process/terminal";
import { PartsLeft, type Scale, type Share, scales } from "./experiment.js";
import { experimentNamed, experiments } from "./experiments.js";
import { openPartialResults } from "./partial-results.js";
import { experimentTasks } from "./portable-tasks.js";

const NAME = "npm run experiment --";

interface ExperimentFlags extends LongRunFlags {
  readonly scale: Scale;
  readonly out?: string;
  /** File of partial results to resume from and add to. */
  readonly resume?: string;
  /** Compute only parts whose names contain one of these strings. */
  readonly only?: readonly string[];
  /** Share of the missing parts to compute. */
  readonly part?: Share;
  readonly finished?: boolean;
}

/** Defines the command line of `npm run experiment`. */
export function experimentProgram(terminal: Terminal): Command {
  const program = commandLine(NAME, terminal)
    .description("Lists the experiments, or computes a table or figure of a paper and prints it as Markdown.")
    // Options after the name of a command belong to the command.
    .enablePositionalOptions()
    .argument("[NAME]", "experiment to run; without it, all are listed")
    .addOption(new Option("--scale <scale>", "size of the experiment").choices(scales).default("quick"))
    .option("-o, --out <file>", "file to write (default: standard output)")
    .option("--resume <file>", "keep finished parts in this file, and resume from it")
    .option("--only <text>", "compute only parts whose names contain this; repeatable", collect)
    .option("--part <k/n>", "compute only every n-th missing part, from the k-th on", processShare("part"))
    .option("--finished", "compute nothing: show the finished parts of --resume");
  addCluster(addPrinting(addFields(program, "seed", "threads", "memory")));
  program.action(async (name: string | undefined, flags) => {
    if (name === undefined) list(flags, terminal);
    else await compute(name, flags, terminal);
  });
  addWorker(program, terminal, {
    tasks: [...Object.keys(portableTasks), ...Object.keys(experimentTasks)],
    script: new URL("./job-thread.js", import.meta.url),
  });
  addExamples(
    program,
    [
      [NAME.replace(" --", ""), "list experiments and what they cost"],
      [
        `${NAME} deep-cascades/table-1 --scale paper --resume table-1.parts`,
        "hours of work that can be resumed",
      ],
    ],
    terminal,
  );
  return program;
}

function list(flags: ExperimentFlags, terminal: Terminal): void {
  const described = experiments.map(({ name, paper, shows, cost }) => ({ name, paper, shows, cost }));
  if (flags.json) {
    printJson(terminal, described);
    return;
  }
  const { out } = terminal;
  const columns = proseWidth(out);
  const blocks = described.map(({ name, paper, shows, cost }) => {
    const lines = [shows, paper, `quick: ${cost.quick}`, `paper: ${cost.paper}`];
    return `${styled(out, "bold", name)}\n${lines.map((line) => `${wrap(line, columns, "  ")}\n`).join("")}`;
  });
  writeText(out, blocks.join("\n"));
}

/** Computes an experiment and writes its result as Markdown or JSON. */
async function compute(name: string, flags: ExperimentFlags, terminal: Terminal): Promise<void> {
  const chosen = experimentNamed(name);
  const { scale, seed, json, resume, only, part: share, finished: finishedOnly } = flags;
  const out = fileOrOutput(flags.out);
  checkOutputs({ out, resume }, []);
  if (resume === undefined && (share || finishedOnly)) {
    throw new VouchError("option/invalid", `--${share ? "part" : "finished"} needs the file of --resume.`);
  }
  await withCommandContext(flags, terminal, async ({ executor, stops: { abort: signal }, display }) => {
    const partial = resume && (await openPartialResults(resume, { experiment: name, scale, seed }));
    const common = { scale, seed, executor, signal, progress: display.report };
    try {
      const result = await chosen.run({
        ...common,
        ...(partial && { partial }),
        ...(only && { only }),
        ...(share && { share }),
        ...(finishedOnly && { finishedOnly }),
      });
      display.clear();
      const text = json ? `${JSON.stringify(result, null, 2)}\n` : chosen.render(result);
      if (out === undefined) terminal.out.write(text);
      else await writeFileAtomic(out, new TextEncoder().encode(text));
    } catch (error) {
      if (!(error instanceof PartsLeft)) throw error;
      noticePrinter(flags, terminal)(`This share is complete. ${error.message}`);
    }
  });
}
