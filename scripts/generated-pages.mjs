/**
 * Writes the pages of docs that are generated from the code, in whole or in part: docs/cli.md, docs/errors.md, the list of learners in
 * docs/README.md, the terms in docs/glossary.md, the options of `vouch train` in docs/train.md, tables of some options in other pages,
 * and in the page of each learner its options and its link to the playground.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { optionTable } from "@vouch/core/internal/train/request/request-table";
import { glossary } from "@vouch/views/internal/text/glossary";
import { allLearners } from "vouch";
import { completeOptions } from "vouch/internal/options/deferred-options";
import { examples } from "vouch/internal/options/examples";
import { program } from "vouch/internal/options/program";
import { exampleHash, playgroundExamples } from "../packages/studio/dist/playground/playground-examples.js";
import { learnerOptions } from "./learner-options.mjs";
import { root } from "./setup.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

/** The text of each page by its path, as it should be. */
export async function generatedPages() {
  const learners = await allLearners();
  const pages = new Map([
    ["docs/cli.md", await cliPage()],
    ["docs/errors.md", errorsPage()],
    ["docs/README.md", withSection(read("docs/README.md"), "learners", learnerList(learners))],
    ["docs/glossary.md", withSection(read("docs/glossary.md"), "terms", glossaryTable())],
    ["docs/train.md", withSection(read("docs/train.md"), "options", optionTable())],
  ]);
  for (const [path, commands] of Object.entries(FLAGS))
    pages.set(path, withSection(read(path), "flags", await flagTable(commands)));
  for (const file of readdirSync(join(root, "docs/learners"))) {
    const path = `docs/learners/${file}`;
    const learner = learners.find(({ name }) => name === basename(file, ".md"));
    if (learner) pages.set(path, withPlayground(withOptions(read(path), learner), learner.name));
  }
  return pages;
}

/** The options that pages explain, by page and command. */
const FLAGS = {
  "docs/serve.md": {
    serve: [
      ...["--host", "--port", "--host-name", "--grpc-port", "--workers", "--token-file"],
      ...["--require-signature", "--max-rows", "--max-body", "--state"],
    ],
  },
  "docs/cluster.md": {
    train: ["--cluster", "--blobs", "--wait", "--verify"],
    worker: ["--threads", "--memory", "--metrics-port"],
  },
  "docs/files.md": {
    train: [
      ...["--target", "--categorical", "--numeric", "--missing", "--date", "--text", "--ignore"],
      ...["--decimal-comma", "--no-decimal-comma"],
    ],
  },
  "docs/csv-excel.md": { train: ["--skip", "--header-row", "--keep-totals"] },
};

/** Tabulates options of commands with their help. Throws if a command lacks one. */
async function flagTable(flags) {
  const vouch = program({ out: process.stdout, err: process.stderr });
  const rows = [];
  for (const [name, options] of Object.entries(flags)) {
    const command = vouch.commands.find((one) => one.name() === name);
    await completeOptions(command);
    const help = command.createHelp();
    const visible = help.visibleOptions(command);
    for (const flag of options) {
      const option = visible.find(({ long }) => long === flag);
      if (!option) throw new Error(`vouch ${name} has no option ${flag}.`);
      rows.push(`| \`${help.optionTerm(option)}\` | ${cell(help.optionDescription(option))} |\n`);
    }
  }
  return `| option | what it does |\n|---|---|\n${rows.join("")}`;
}

/** Replaces what is between the marks of a section; a page without the marks stays as it is. */
function withSection(page, name, text) {
  return page.replace(
    new RegExp(`(<!-- ${name} -->\n).*?(<!-- /${name} -->)`, "s"),
    (_, start, end) => start + text + end,
  );
}

/** The terms that the report and the studio explain. */
function glossaryTable() {
  const rows = Object.entries(glossary)
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .map(([term, meaning]) => `| ${term} | ${meaning} |\n`);
  return `| term | meaning |\n|---|---|\n${rows.join("")}`;
}

const learnerList = (learners) =>
  learners
    .map(({ name, title, summary }) => `* [${name}](learners/${name}.md): ${title}. ${summary}\n`)
    .join("");

/** Adds the table of options to the page of a learner, at the beginning of its section on them. */
function withOptions(page, learner) {
  const table = learnerOptions(learner);
  if (page.includes("<!-- options -->")) return withSection(page, "options", table);
  return page.replace(
    "## Options\n",
    (heading) => `${heading}\n<!-- options -->\n${table}<!-- /options -->\n`,
  );
}

/** Adds the link to the playground, before the section that explains the learner. On the site it leads to the playground itself. */
function withPlayground(page, learner) {
  const example = playgroundExamples.find((one) => one.learner === learner);
  if (!example) return page;
  const text = `[See it in the playground](../playground.md${exampleHash(example)}). ${example.see}\n`;
  if (page.includes("<!-- playground -->")) return withSection(page, "playground", text);
  return page.replace(
    "## How it works\n",
    (heading) => `<!-- playground -->\n${text}<!-- /playground -->\n\n${heading}`,
  );
}

const remark = "<!-- `npm run docs` writes this page from the code. -->";

async function cliPage() {
  const vouch = program({ out: process.stdout, err: process.stderr });
  const commands = vouch.createHelp().visibleCommands(vouch);
  for (const command of commands) await completeOptions(command);
  const rows = commands.map(
    (command) => `| [\`${command.name()}\`](#vouch-${command.name()}) | ${command.summary()} |`,
  );
  return `${remark}

# Command line

\`vouch help COMMAND\` prints the same text in a terminal, and \`vouch help LEARNER\` explains a learner with its options.

| command | what it does |
|---|---|
${rows.join("\n")}

**Exit codes.** 0 for success, 1 for bad data or a failed run, 2 for wrong usage, 129 after SIGHUP, 130 after Ctrl-C, 143 after SIGTERM.
[Error codes](errors.md) explains each error.

${commands.map(commandSection).join("\n")}`;
}

function commandSection(command) {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const tables = [...new Set(options.map(groupOf))].map((group) => {
    const rows = options
      .filter((option) => groupOf(option) === group)
      .map((option) => `| \`${help.optionTerm(option)}\` | ${cell(help.optionDescription(option))} |`);
    return `**${group}**\n\n| option | what it does |\n|---|---|\n${rows.join("\n")}\n`;
  });
  const given = command.registeredArguments.map(
    (argument) => `* \`${argument.name()}\`: ${help.argumentDescription(argument)}\n`,
  );
  const lines = (examples[command.name()] ?? []).map(([line, what]) => `# ${what}\n${line}`);
  return [
    `## vouch ${command.name()}\n`,
    `${command.description()}\n`,
    `\`\`\`sh\n${help.commandUsage(command)}\n\`\`\`\n`,
    ...(given.length === 0 ? [] : [given.join("")]),
    ...tables,
    ...(lines.length === 0 ? [] : [`**Examples**\n\n\`\`\`sh\n${lines.join("\n\n")}\n\`\`\`\n`]),
  ].join("\n");
}

const groupOf = ({ helpGroupHeading = "Options" }) => helpGroupHeading.replace(/:$/, "");

/** Each code with the comment above it in the list of codes: a sentence on what it means, and the others on what to do. */
function errorsPage() {
  const source = read("packages/core/src/runtime/vouch-error.ts");
  const codes = Array.from(
    source.matchAll(/^ {2}(?:\/\*\* (.*) \*\/\n {2})?"([\w-]+\/[\w-]+)",$/gm),
    (match) => ({
      code: match[2],
      comment: match[1] ?? "",
    }),
  );
  const areas = [...new Set(codes.map(({ code }) => code.split("/")[0]))];
  const sections = areas.map((area) => {
    const entries = codes
      .filter(({ code }) => code.startsWith(`${area}/`))
      .map(({ code, comment }) => `### ${code}\n\n${comment}\n`);
    return `## ${AREAS[area]}\n\n${entries.join("\n")}`;
  });
  return `${remark}

# Error codes

Every error of vouch is a \`VouchError\` with a message, usually a hint, and one of these codes in its field \`code\`. The codes are stable, so
a program can branch on them. The command prints the message and the hint.

${sections.join("\n")}`;
}

/** Titles of the areas of error codes, which are the parts before the slash. */
const AREAS = {
  package: "Packages",
  option: "Options",
  data: "Data",
  learner: "Learners",
  file: "Files",
  model: "Models",
  dataset: "Data sets",
  task: "Tasks",
  memory: "Memory",
  run: "Runs",
  cluster: "Clusters",
};

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
