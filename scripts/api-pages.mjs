/** The API reference: what `publicApi` gives as Markdown, in an index that git keeps and one page for each door, which it ignores. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { allLearners } from "vouch";
import { learnerOptions } from "./learner-options.mjs";
import { withoutOptionComments } from "./option-comments.mjs";

const learners = await allLearners();

const remark = "<!-- `npm run docs` writes this page from the comments in the code. -->";

/** The text of each page by its path. */
export function apiPages(doors) {
  const pages = doors.map((door, i) => {
    const known = new Set(doors.slice(0, i).flatMap(({ exports }) => exports.map(({ name }) => name)));
    return {
      title: door.name,
      source: door.source,
      file: `${door.name.replace("@vouch/", "").replaceAll("/", "-")}.md`,
      about: door.about,
      exports: door.exports.filter(({ name }) => !known.has(name)),
      repeated: door.exports.filter(({ name }) => known.has(name)),
    };
  });
  const texts = pages.map((page) => [`docs/api/${page.file}`, pageText(page, pages)]);
  return new Map([["docs/api.md", indexText(pages)], ...texts]);
}

/** The index leads to the sources of the doors, which every reader of the repository has; on the site, to their pages. */
function indexText(pages) {
  const rows = pages.map(({ title, source, about }) => `| [\`${title}\`](../${source}) | ${about} |`);
  return `${remark}

# API reference

The packages export these entry points. Most programs need only \`vouch\`, above all its function \`train\`, and \`vouch/node\` to save models
and load them. The site has a page for each entry point with every name; \`npm run docs\` writes the same pages to \`docs/api\`.

| import from | what for |
|---|---|
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
    typeOnly && /^(abstract )?class /.test(code) ? ["Exported as a type only.\n"] : optionsOf(name);
  // The table of a learner's options says what the comments on them say.
  const declaration = withoutOptionComments(code);
  return [`${depth} ${name}\n`, `${comment}\n`, ...remarks, `\`\`\`ts\n${declaration}\n\`\`\`\n`].join("\n");
}

/** Of a function that makes a learner: its options in a table, and a link to its page. */
function optionsOf(name) {
  const learner = learners.find((known) => camelCase(known.name) === name);
  if (!learner) return [];
  const page = `../learners/${learner.name}.md`;
  const more = existsSync(fileURLToPath(new URL(`../docs/api/${page}`, import.meta.url)));
  return [...(more ? [`More on [its page](${page}).\n`] : []), learnerOptions(learner)];
}

/** `deep-cascade-svm` as a name in code. */
const camelCase = (name) =>
  name === "gcforest" ? "gcForest" : name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
