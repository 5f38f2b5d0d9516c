/**
 * `npm run docs`: builds, and writes the reference in docs/api, the list of learners in docs/README.md, the options in docs/train.md, and the links of learners'
 * pages to the playground, from the code.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "./build.mjs";
import { install, root } from "./setup.mjs";

install();
build();
const { apiPages, withLearners, withOptions, withPlayground } = await import("./api-pages.mjs");
const { publicApi } = await import("./public-api.mjs");
const folder = join(root, "docs", "api");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [file, text] of apiPages(publicApi())) writeFileSync(join(folder, file), text);
const index = join(root, "docs", "README.md");
writeFileSync(index, withLearners(readFileSync(index, "utf8")));
const training = join(root, "docs", "train.md");
writeFileSync(training, withOptions(readFileSync(training, "utf8")));
const learners = join(root, "docs", "learners");
for (const file of readdirSync(learners)) {
  const page = join(learners, file);
  writeFileSync(page, withPlayground(readFileSync(page, "utf8"), basename(file, ".md")));
}
console.error(
  "docs/api, the learners in docs/README.md, the options in docs/train.md and the links to the playground are written.",
);
