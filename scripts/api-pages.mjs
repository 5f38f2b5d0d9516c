/**
 * The pages of docs/api: what `publicApi` gives as Markdown, one page for each module, of `vouch` itself one for each section.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeOptions } from "@vouch/core/internal/learners/options";
import { optionTable } from "@vouch/core/internal/train/request/request-table";
import { allLearners } from "vouch";
import { studioPort } from "../packages/studio/dist/index.js";
import { exampleHash, playgroundExamples } from "../packages/studio/dist/playground/playground-examples.js";
import { withoutOptionComments } from "./option-comments.mjs";

const learners = await allLearners();

const remark = "<!-- Written by `npm run docs` from the comments in the code. -->";

/** The text of each page by the name of its file: one for each door. */
export function apiPages(doors) {
  const pages = doors.map((door, i) => {
    const known = new Set(doors.slice(0, i).flatMap(({ exports }) => exports.map(({ name }) => name)));
    return {
      title: door.name,
      file: `${door.name.replace("@vouch/", "").replaceAll("/", "-")}.md`,
      about: door.about,
      exports: door.exports.filter(({ name }) => !known.has(name)),
      repeated: door.exports.filter(({ name }) => known.has(name)),
    };
  });
  const texts = pages.map((page) => [page.file, pageText(page, pages)]);
  return new Map([["README.md", indexText(pages)], ...texts]);
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

function indexText(pages) {
  const rows = pages.map(
    ({ title, file, about, exports, repeated }) =>
      `| [\`${title}\`](${file}) | ${about} | ${exports.length + repeated.length} |`,
  );
  return `${remark}

# API reference

Everything that the packages export. Start with the [tutorial](../tutorial.md). Most programs need only \`vouch\`: above all
[\`train\`](vouch.md#train), and \`vouch/node\` to save models and load them.

| import from | what for | names |
|---|---|---|
${rows.join("\n")}

\`vouch/worker\` exports nothing: it is the script of worker threads, for bundlers that do not find it by themselves.
`;
}

function pageText({ title, about, exports, repeated }, pages) {
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
import { … } from "${title}";
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
