/**
 * The pages of docs/api: what `publicApi` gives as Markdown, one page for each module, of `vouch` itself one for each section.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { allLearners } from "vouch";
import { describeOptions, optionTable } from "vouch/command";
import { studioPort } from "../packages/studio/dist/index.js";
import { exampleHash, playgroundExamples } from "../packages/studio/dist/playground/playground-examples.js";
import { withoutOptionComments } from "./option-comments.mjs";

const learners = await allLearners();

/** The sections of `vouch`. */
const sections = {
  "Tables and labels": {
    file: "tables.md",
    about: "Raw named columns, the target column, and rows to hold out.",
  },
  Learners: {
    file: "learners.md",
    about: "Every kind of classifier, with its options.",
  },
  Models: {
    file: "models.md",
    about: "Fitted classifiers of encoded features. The model of a classifier is its property `model`.",
  },
  Classifiers: {
    file: "classifiers.md",
    about: "Train on a table, predict, compute metrics and feature importance, save and load.",
  },
  Certificates: {
    file: "certificates.md",
    about: "Bounds on the error on new data, with their premises.",
  },
  "Choosing and comparing": {
    file: "choosing.md",
    about: "Choose a learner by cross-validation, a race or a criterion; compare learners.",
  },
  "Threads, errors and number formats": {
    file: "runs.md",
    about: "Threads, progress, errors, and the formatting of numbers.",
  },
  "LIBSVM models": {
    file: "libsvm.md",
    about: "Export models to LIBSVM, and import its models.",
  },
};

/** Entries that repeat names of others, for programs that load less. */
const parts = {
  "vouch/train": { file: "train.md" },
  "vouch/predict": { file: "predict.md" },
  "@vouch/views/boards": { file: "views-boards.md" },
  "@vouch/report/live": { file: "report-live.md" },
};

/** The other modules; those of the library say themselves what they are about. */
const others = {
  "vouch/theory": { file: "theory.md" },
  "vouch/select": { file: "select.md" },
  "vouch/learning": { file: "learning.md" },
  "vouch/command": { file: "command.md" },
  "vouch/presentation": { file: "presentation.md" },
  "vouch/watch": { file: "watch.md" },
  "vouch/data": { file: "data.md" },
  "vouch/machines": { file: "machines.md" },
  "vouch/errors": { file: "errors.md" },
  "vouch/sharded": { file: "sharded.md" },
  "vouch/node": { file: "node.md" },
  "vouch/files": { file: "files.md" },
  "@vouch/formats": { file: "formats.md", about: "Read data files into tables, and write rows as CSV." },
  "@vouch/formats/browser": { file: "formats-browser.md" },
  "@vouch/datasets": { file: "datasets.md", about: "Find, download and load public data sets." },
  "@vouch/views": { file: "views.md" },
  "@vouch/views/facts": { file: "views-facts.md" },
  "@vouch/views/outlines": { file: "views-outlines.md" },
  "@vouch/views/static": { file: "views-static.md" },
  "@vouch/report": {
    file: "report.md",
    about: "Make the report of a training or of a comparison: one HTML page.",
  },
  "@vouch/studio": { file: "studio.md" },
  "@vouch/serve": { file: "serve.md" },
  "@vouch/cluster": { file: "cluster.md" },
  "@vouch/cluster/jobs": { file: "cluster-jobs.md", about: "Run tasks of a cluster on a thread." },
  "@vouch/experiments/tasks": {
    file: "experiments-tasks.md",
    about: "The tasks of experiments that workers of a cluster run.",
  },
  "@vouch/onnx": { file: "onnx.md" },
  "@vouch/experiments": { file: "experiments.md", about: "Repeat the tables and figures of the papers." },
  "@vouch/cluster/sharded": { file: "cluster-sharded.md" },
  "@vouch/cli": { file: "cli.md", about: "Train on a file in one call, as the `vouch` command does." },
};

/** The section of names that a module repeats, so that one import is enough. */
const REPEATED = "Also here";

const remark = "<!-- Written by `npm run docs` from the comments in the code. -->";

/** The text of each page by the name of its file. */
export function apiPages(modules) {
  const pages = modules.flatMap((module) =>
    module.name === "vouch" ? libraryPages(module) : modulePage(module),
  );
  const texts = pages.map((page) => [page.file, pageText(page, pages)]);
  return new Map([["README.md", indexText(modules, pages)], ...texts]);
}

/** The index of the documentation with its list of learners as they are now. */
export function withLearners(index) {
  const list = learners
    .map(({ name, title, summary }) => `* [${name}](learners/${name}.md): ${title}. ${summary}\n`)
    .join("");
  return index.replace(
    /(<!-- learners -->\n).*?(<!-- \/learners -->)/s,
    (_, start, end) => start + list + end,
  );
}

/** The page on training with its table of options as they are now. */
export function withOptions(page) {
  return page.replace(
    /(<!-- options -->\n).*?(<!-- \/options -->)/s,
    (_, start, end) => `${start}${optionTable()}${end}`,
  );
}

/** The page of a learner with its link to the playground as it is now, before the section that explains the learner. */
export function withPlayground(page, learner) {
  const example = playgroundExamples.find((one) => one.learner === learner);
  if (!example) return page;
  // The reader's own computer serves the playground.
  const address = `http://127.0.0.1:${studioPort}/${exampleHash(example)}`;
  const text = `[See it in the playground](${address}) while \`vouch studio\` runs. ${example.see}\n`;
  const bare = page.replace(/<!-- playground -->\n.*?<!-- \/playground -->\n\n/s, "");
  return bare.replace(
    "## How it works\n",
    (heading) => `<!-- playground -->\n${text}<!-- /playground -->\n\n${heading}`,
  );
}

function libraryPages({ name, exports }) {
  return Object.entries(sections).map(([title, { file, about }]) => ({
    file,
    title,
    about,
    from: name,
    exports: exports.filter(({ section }) => section === title).map((known) => ({ ...known, section: "" })),
    repeated: [],
  }));
}

function modulePage({ name, about, exports }) {
  if (Object.hasOwn(parts, name)) {
    return { about, ...parts[name], title: name, from: name, exports: [], repeated: exports };
  }
  return {
    about,
    ...others[name],
    title: name,
    from: name,
    exports: exports.filter(({ section }) => section !== REPEATED),
    repeated: exports.filter(({ section }) => section === REPEATED),
  };
}

function indexText(modules, pages) {
  const rows = modules.map(({ name, about }) => {
    const own = pages.filter(({ from }) => from === name);
    const links = own.map(
      ({ title, file, exports: names, repeated }) =>
        `[${title}](${file})&nbsp;(${names.length || repeated.length})`,
    );
    return `| \`${name}\` | ${own.length === 1 ? own[0].about : about} | ${links.join("<br>")} |`;
  });
  const repeated = modules[0].exports.filter(({ section }) => section === REPEATED);
  return `${remark}

# API reference

Everything that the packages export. Start with the [tutorial](../tutorial.md). Most programs need \`vouch\`,
\`@vouch/formats\` to read data files and \`vouch/node\` to save models: above all [\`readTable\`](formats.md#readtable),
[\`trainClassifier\`](classifiers.md#trainclassifier), one of the [learners](learners.md), [\`saveModel\`](node.md#savemodel) and
[\`loadModel\`](node.md#loadmodel).

| import from | what for | pages (names) |
|---|---|---|
${rows.join("\n")}

\`vouch\` also exports types of values that are made elsewhere: ${references(repeated, pages)}.
\`vouch/worker\` exports nothing: it is the script of worker threads, for bundlers that do not find it by themselves.
`;
}

function pageText({ title, from, about, exports, repeated }, pages) {
  const titles = [...new Set(exports.map(({ section }) => section))];
  const several = titles.length > 1;
  const parts = titles.map((section) => exports.filter((known) => known.section === section));
  const link = (known) =>
    `* [${known.name}](#${anchor(exports, exports.indexOf(known))}): ${firstSentence(known)}`;
  const lists = parts.map((part, i) => (several ? `**${titles[i]}**\n\n` : "") + part.map(link).join("\n"));
  const entries = parts.map(
    (part, i) =>
      (several ? `## ${titles[i]}\n\n` : "") +
      part.map((known) => entry(known, several ? "###" : "##")).join("\n"),
  );
  const also = repeated.length === 0 ? "" : `Also here: ${references(repeated, pages)}.\n\n`;
  return `${remark}

# ${title}

${about}

\`\`\`ts
import { … } from "${from}";
\`\`\`

${lists.join("\n\n")}

${also}${entries.join("\n")}`;
}

/** Links to where names are described that a module repeats. */
function references(repeated, pages) {
  return repeated
    .map(({ name }) => {
      const page = pages.find((one) => one.exports.some((known) => known.name === name));
      const place = page.exports.findIndex((known) => known.name === name);
      return `[${name}](${page.file}#${anchor(page.exports, place)})`;
    })
    .join(", ");
}

/** The beginning of a comment, up to a full stop that something new follows; with dots where a formula follows. */
function firstSentence({ comment }) {
  const [paragraph] = comment.split(/\n\s*\n/);
  const sentence = paragraph.replaceAll(/\s*\n\s*/g, " ").replace(/(?<=[^.]{3}\.) (?=[A-Z`]).*$/s, "");
  return /[.…]$/.test(sentence) ? sentence : sentence.replace(/[:,]?$/, " …");
}

/** The address of a heading as GitHub makes it: in lower case, numbered where it is not the first of its kind. */
function anchor(exports, i) {
  const name = exports[i].name.toLowerCase();
  const earlier = exports.slice(0, i).filter((other) => other.name.toLowerCase() === name).length;
  return earlier === 0 ? name : `${name}-${earlier}`;
}

function entry({ name, comment, code, typeOnly }, depth) {
  const remarks =
    typeOnly && /^(abstract )?class /.test(code) ? ["Exported as a type only.\n"] : learnerOptions(name);
  // The table of a learner's options says what the comments on them say.
  const declaration = withoutOptionComments(code);
  return [`${depth} ${name}\n`, `${comment}\n`, ...remarks, `\`\`\`ts\n${declaration}\n\`\`\`\n`].join("\n");
}

/** Of a function that makes a learner: its options in a table. */
function learnerOptions(name) {
  const learner = learners.find((known) => camelCase(known.name) === name);
  if (!learner) return [];
  const page = `../learners/${learner.name}.md`;
  const more = existsSync(fileURLToPath(new URL(`../docs/api/${page}`, import.meta.url)));
  const rows = describeOptions(learner.options).map(
    ({ name, allowed, default: usual, description }) =>
      `| \`${name}\` | ${cell(allowed)} | \`${cell(JSON.stringify(usual))}\` | ${cell(description)} |`,
  );
  const table =
    rows.length === 0 ? "" : `| option | may be | default | |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  return [...(more ? [`More on [its page](${page}).\n`] : []), table];
}

/** `deep-cascade-svm` as a name in code. */
const camelCase = (name) =>
  name === "gcforest" ? "gcForest" : name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

const cell = (text = "") => text.replaceAll("|", "\\|").replaceAll("\n", " ");
