/** The pages of docs/api: what `publicApi` gives as Markdown, one page for each part of the library and each further module. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeOptions, learners } from "vouch";

/** Parts of the library, in the order in which one meets them. A room that no part names holds a learner. */
const parts = [
  {
    file: "classifiers.md",
    title: "Classifiers",
    about: "Train a classifier on a table, predict with it, measure it, turn it into bytes and back.",
    rooms: ["model"],
  },
  {
    file: "data.md",
    title: "Data",
    about: "Tables of raw columns, encoders that turn them into features, splits and measures of error.",
    rooms: ["data"],
  },
  {
    file: "learners.md",
    title: "Learners",
    about: "Every kind of classifier that can be trained, with its options, and what all of them share.",
    rooms: ["learning"],
  },
  {
    file: "selection.md",
    title: "Model selection",
    about: "Which of several models to keep: cross-validation and other criteria.",
    rooms: ["selection"],
  },
  {
    file: "guarantees.md",
    title: "Guarantees",
    about: "Certificates, and each theorem behind them as a function of numbers.",
    rooms: ["bounds"],
  },
  {
    file: "foundations.md",
    title: "Foundations",
    about: "Threads, matrices, random numbers, errors, and numbers as people read them.",
    rooms: ["parallel", "numeric", "state", "kernel", ""],
  },
];

const others = {
  "vouch/bounds": { file: "bounds.md", about: "Learning theory as functions of numbers." },
  "vouch/selection": { file: "judging.md", about: "What one judges and chooses models by." },
  "vouch/learning": { file: "learning.md", about: "Samples, encoders, tasks and solvers." },
  "vouch/errors": { file: "errors.md", about: "Errors in the user's terms." },
  "vouch/node": { file: "node.md", about: "Model files; for Node only." },
  "@vouch/formats": { file: "formats.md", about: "Data files into tables, and rows into CSV." },
  "@vouch/datasets": { file: "datasets.md", about: "The catalogue of public data sets." },
  "@vouch/report": { file: "report.md", about: "A self-contained HTML page for a training run." },
  "@vouch/experiments": { file: "experiments.md", about: "Tables and figures of the papers." },
  "@vouch/cli": { file: "cli.md", about: "The `vouch` command as a function." },
};

const remark = "<!-- Written by `npm run docs` from the comments in the code. -->";

/** The text of each page by the name of its file. */
export function apiPages(modules) {
  const pages = modules.flatMap(({ name, exports }) =>
    name === "vouch" ? libraryPages(exports) : [{ ...others[name], title: name, from: name, exports }],
  );
  const texts = pages.map((page) => [page.file, pageText(page)]);
  return new Map([["README.md", indexText(pages)], ...texts]);
}

/** The index of the documentation with its list of learners as they are now. */
export function withLearners(index) {
  const list = learners.map(({ name, summary }) => `* [${name}](learners/${name}.md): ${summary}\n`).join("");
  return index.replace(
    /(<!-- learners -->\n).*?(<!-- \/learners -->)/s,
    (_, start, end) => start + list + end,
  );
}

function libraryPages(exports) {
  const known = new Set(parts.flatMap(({ rooms }) => rooms));
  return parts.map(({ rooms, ...part }) => ({
    ...part,
    from: "vouch",
    exports: exports.filter(
      ({ room }) => rooms.includes(room) || (part.file === "learners.md" && !known.has(room)),
    ),
  }));
}

function indexText(pages) {
  const rows = pages.map(({ file, title, from, about, exports }) =>
    [`[${title}](${file})`, `\`${from}\``, exports.length, about].join(" | "),
  );
  return `${remark}

# API reference

Everything that the packages export, with its comment and its declaration. Begin with the [tutorial](../tutorial.md); the
three names that most programs need are \`trainClassifier\` ([classifiers](classifiers.md)), \`readTable\`
([formats](formats.md)) and \`loadModel\` ([node](node.md)).

| page | import from | exports | |
|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}
`;
}

function pageText({ title, from, about, exports }) {
  const links = exports.map(({ name }, i) => `[${name}](#${anchor(exports, i)})`);
  return `${remark}

# ${title}

${about}

\`\`\`ts
import { … } from "${from}";
\`\`\`

${links.join(" · ")}

${exports.map(entry).join("\n")}`;
}

/** The address of a heading as GitHub makes it: in lower case, numbered where it is not the first of its kind. */
function anchor(exports, i) {
  const name = exports[i].name.toLowerCase();
  const earlier = exports.slice(0, i).filter((other) => other.name.toLowerCase() === name).length;
  return earlier === 0 ? name : `${name}-${earlier}`;
}

function entry({ name, comment, code }) {
  return [`## ${name}\n`, `${comment}\n`, ...learnerOptions(name), `\`\`\`ts\n${code}\n\`\`\`\n`].join("\n");
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
