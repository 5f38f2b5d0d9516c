/** `npm run docs`: builds, and writes the reference in docs/api from the comments in the code. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { install, root } from "./setup.mjs";

install();
build();
const { apiPages } = await import("./api-pages.mjs");
const { publicApi } = await import("./public-api.mjs");
const folder = join(root, "docs", "api");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [file, text] of apiPages(publicApi())) writeFileSync(join(folder, file), text);
console.error("docs/api is written.");
