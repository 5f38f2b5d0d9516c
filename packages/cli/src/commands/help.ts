import type { Command } from "commander";
import { type LearnerDefinition, learnerNamed, learners } from "vouch";
import { nearestName, VouchError } from "vouch/errors";
import { describeOptions, settingText, usualBase } from "vouch/learning";
import { alignedTable } from "../aligned-table.js";
import { styled, type Terminal, width, wrap } from "../terminal.js";

/** `vouch help [TOPIC]`: a command, or a learner with all its options; without a topic both lists. */
export function help(topic: string | undefined, vouch: Command, terminal: Terminal): void {
  const command = vouch.commands.find((candidate) => candidate.name() === topic);
  if (command) command.outputHelp();
  else if (topic === undefined) generalHelp(vouch, terminal);
  else learnerHelp(topic, vouch, terminal);
}

function generalHelp(vouch: Command, { out }: Terminal): void {
  vouch.outputHelp();
  const rows = learners.map(({ name, summary }) => [name, summary]);
  out.write(`\nLearners:\n${alignedTable([{ title: "" }, { title: "", prose: true }], rows, width(out))}\n`);
}

function learnerHelp(topic: string, vouch: Command, { out }: Terminal): void {
  const names = learners.map(({ name }) => name);
  if (!names.includes(topic)) {
    const commands = vouch.commands.map((command) => command.name());
    const near = nearestName(topic, [...commands, ...names]);
    throw new VouchError("option/unknown", `There is no command or learner "${topic}".`, {
      hint: near
        ? `Did you mean ${near}?`
        : `Commands: ${commands.join(", ")}. Learners: ${names.join(", ")}.`,
    });
  }
  const definition = learnerNamed(topic);
  const { summary, options, multiclass, baseNamed } = definition;
  const columns = Math.min(width(out), 110);
  const introduction = wrap(`${topic} — ${summary}`, columns);
  out.write(`${introduction.replace(topic, styled(out, "bold", topic))}\n`);
  out.write(`Classes: ${multiclass ? "two or more" : "two"}\n\n`);
  const described = describeOptions(options).filter(({ name }) => !baseNamed || name !== "baseOptions");
  if (described.length === 0) out.write("It has no options.\n");
  for (const { name, allowed, default: value, description } of described) {
    const setting = `--set ${name}=…`;
    const heading = wrap(
      `${setting}  ${allowed}; default ${settingText(value) || "none"}`,
      columns,
      "  ",
      "      ",
    );
    out.write(`${heading.replace(setting, styled(out, "bold", setting))}\n`);
    out.write(`${wrap(description, columns, "      ")}\n`);
  }
  if (baseNamed) out.write(baseHelp(baseNamed(usualBase(definition)), columns));
  const example = baseNamed
    ? `iris --learner ${topic} --set base=perceptron`
    : `breastcancer --learner ${topic}`;
  out.write(`\nExample: vouch train ${example}\n`);
}

/** How options of a base are set. */
function baseHelp({ name, options }: LearnerDefinition, columns: number): string {
  const names = describeOptions(options).map((option) => `base.${option.name}`);
  const listed = `For the base ${name} these are ${names.join(", ")}; 'vouch help ${name}' says what they do, and 'vouch help LEARNER' those of another base.`;
  return [
    wrap("--set base.NAME=…  what option NAME of the base may be, with its default", columns, "  ", "      "),
    `${wrap(listed, columns, "      ")}\n`,
  ].join("\n");
}
