import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { writeFileAtomic } from "@vouch/core/internal/runtime/write-file";
import {
  experimentNamed,
  experiments,
  openPartialResults,
  PartsLeft,
  type Scale,
  type Share,
} from "@vouch/experiments";
import type { LongRunFlags } from "../options/flags.js";
import { withCommandContext } from "../process/command-context.js";
import { checkOutputs, fileOrOutput } from "../process/output-file.js";
import {
  noticePrinter,
  printJson,
  proseWidth,
  styled,
  type Terminal,
  wrap,
  writeText,
} from "../process/terminal.js";

/** Flags of `vouch experiment`. */
export interface ExperimentFlags extends LongRunFlags {
  readonly scale: Scale;
  readonly out?: string;
  /** A file of partial results, to resume from and to add to. */
  readonly resume?: string;
  /** Texts; only parts whose names contain one of them are computed. */
  readonly only?: readonly string[];
  /** The share of the missing parts to compute. */
  readonly part?: Share;
  readonly finished?: boolean;
}

/** `vouch experiment [list | NAME]`: lists the experiments, or runs one and prints Markdown or JSON. */
export async function experiment(name: string, flags: ExperimentFlags, terminal: Terminal): Promise<void> {
  if (name === "list") list(flags, terminal);
  else await run(name, flags, terminal);
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

async function run(name: string, flags: ExperimentFlags, terminal: Terminal): Promise<void> {
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
