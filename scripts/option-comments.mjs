/**
 * Copies the help text and the default of every learner option from its schema into the built declaration files, where the type
 * of a learner lists its options, so that editors show them.
 */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const DECLARATION = /^export declare const (\w+): [^<]*\bDefinedLearner<.*?^\}[^\n]*>;$/gms;
/** The start of an option, at the top level of a declaration: parts of models are never optional there. */
const OPTION = /^ {4}(?=(\w+)\?: )/gm;
const COMMENT = /^ *\/\*\* .* Default: `.*`\. \*\/\n/gm;

/** Removes the comments on options from the declaration of a learner. */
export function withoutOptionComments(declaration) {
  return declaration.replaceAll(COMMENT, "");
}

/** Comments the options in the declaration files of all learners. */
async function writeOptionComments() {
  const learners = fileURLToPath(new URL("../packages/core/dist/learners/", import.meta.url));
  const { describeOptions } = await import(pathToFileURL(join(learners, "options.js")).href);
  const files = readdirSync(learners, { recursive: true }).filter((name) => name.endsWith(".d.ts"));
  for (const file of files.map((name) => join(learners, name))) {
    const before = readFileSync(file, "utf8");
    if (before.search(DECLARATION) < 0) continue;
    const module = await import(pathToFileURL(file.replace(/\.d\.ts$/, ".js")).href);
    const after = before.replaceAll(DECLARATION, (declaration, learner) =>
      withComments(withoutOptionComments(declaration), describeOptions(module[learner].options)),
    );
    if (after !== before) replaceUnnoticed(file, after);
  }
}

function withComments(declaration, options) {
  const comments = new Map(
    options.map(({ name, description, default: usual }) => [
      name,
      `/** ${description.replaceAll("*/", "*\\/")} Default: \`${JSON.stringify(usual)}\`. */`,
    ]),
  );
  return declaration.replaceAll(OPTION, (indent, name) => {
    if (!comments.has(name))
      throw new Error(`"${name}" in a learner's declaration is not one of its options`);
    return `${indent}${comments.get(name)}\n${indent}`;
  });
}

/** Keeps the time of the file: `tsc -b` would compile all packages again after a newer declaration file. */
function replaceUnnoticed(file, text) {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, text);
  utimesSync(file, atime, mtime);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeOptionComments();
