/** `npm run docs`: builds, and writes the reference in docs/api, and the list of learners in docs/README.md, from the code. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { install, root } from "./setup.mjs";

install();
build();
const { apiPages, withLearners } = await import("./api-pages.mjs");
const { publicApi } = await import("./public-api.mjs");
const folder = join(root, "docs", "api");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [file, text] of apiPages(publicApi())) writeFileSync(join(folder, file), text);
const index = join(root, "docs", "README.md");
writeFileSync(index, withLearners(readFileSync(index, "utf8")));
console.error("docs/api and the list of learners in docs/README.md are written.");
