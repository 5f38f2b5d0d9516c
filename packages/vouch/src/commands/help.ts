import { allLearners, learnerNamed, learnerNames, withLearners } from "@vouch/core/internal/learners/index";
import type { LearnerKind } from "@vouch/core/internal/learners/learner";
import { describeOptions } from "@vouch/core/internal/learners/options";
import { defaultBase, settingText } from "@vouch/core/internal/learners/settings";
import { didYouMean } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Command } from "commander";
import { alignedTable } from "../format/aligned-table.js";
import { completeOptions } from "../options/deferred-options.js";
import { COMPLETE } from "../process/short-commands.js";
import { proseWidth, styled, type Terminal, width, wrap, writeText } from "../process/terminal.js";

/** `vouch help [TOPIC]`: explains a command or a learner; without a topic, lists both. */
export async function runHelp(topic: string | undefined, vouch: Command, terminal: Terminal): Promise<void> {
  const command = vouch.commands.find((candidate) => candidate.name() === topic);
  if (command) {
    await completeOptions(command);
    command.outputHelp();
  } else if (topic === undefined) await generalHelp(vouch, terminal);
  else await learnerHelp(topic, vouch, terminal);
}

async function generalHelp(vouch: Command, { out }: Terminal): Promise<void> {
  vouch.outputHelp();
  const rows = (await allLearners()).map(({ name, title, summary }) => [name, `${title}. ${summary}`]);
  writeText(
    out,
    `\nLearners:\n${alignedTable([{ title: "" }, { title: "", prose: true }], rows, width(out))}\n`,
  );
}

async function learnerHelp(topic: string, vouch: Command, { out }: Terminal): Promise<void> {
  checkTopic(topic, vouch);
  const kind = await learnerNamed(topic);
  const { title, summary, options, multiclass, baseNamed } = kind;
  const columns = proseWidth(out);
  const introduction = wrap(`${topic}: ${title}. ${summary}`, columns);
  writeText(out, `${introduction.replace(topic, styled(out, "bold", topic))}\n`);
  writeText(out, `Classes: ${multiclass ? "two or more" : "two"}\n\n`);
  const described = describeOptions(options).filter(({ name }) => !baseNamed || name !== "baseOptions");
  if (described.length === 0) writeText(out, "It has no options.\n");
  for (const { name, allowed, default: value, description } of described) {
    const setting = `--set ${name}=…`;
    const heading = wrap(
      `${setting}  ${allowed}; default ${settingText(value) || "none"}`,
      columns,
      "  ",
      "      ",
    );
    writeText(out, `${heading.replace(setting, styled(out, "bold", setting))}\n`);
    writeText(out, `${wrap(description, columns, "      ")}\n`);
  }
  if (baseNamed) writeText(out, baseHelp(await withLearners(() => baseNamed(defaultBase(kind))), columns));
  const example = baseNamed
    ? `iris --learner ${topic} --set base=perceptron`
    : `breastcancer --learner ${topic}`;
  writeText(out, `\nExample: vouch train ${example}\n`);
}

function checkTopic(topic: string, vouch: Command): void {
  const names = learnerNames();
  if (names.includes(topic)) return;
  const commands = vouch.commands.map((command) => command.name()).filter((name) => name !== COMPLETE);
  const near = didYouMean(topic, [...commands, ...names]);
  throw new VouchError("option/unknown", `Unknown command or learner "${topic}".`, {
    hint: near ?? `Commands: ${commands.join(", ")}. Learners: ${names.join(", ")}.`,
  });
}

/** Explains how to set options of a base. */
function baseHelp({ name, options }: LearnerKind, columns: number): string {
  const names = describeOptions(options).map((option) => `base.${option.name}`);
  const listed = `With the base ${name}: ${names.join(", ")}. See 'vouch help ${name}', or 'vouch help LEARNER' for another base.`;
  return [
    wrap("--set base.NAME=…  an option of the base learner", columns, "  ", "      "),
    `${wrap(listed, columns, "      ")}\n`,
  ].join("\n");
}
