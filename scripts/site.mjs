/**
 * `npm run site`: builds the packages and the generated pages, then the site of the documentation with the studio, in build/site. Any host
 * can serve the folder; `SITE_BASE` is the path below which it does, `SITE_REPOSITORY` the address that links to sources lead to.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { writePages } from "./docs.mjs";
import { checkNode, install, root } from "./setup.mjs";

checkNode();
install();
build();
await writePages();
const source = join(root, "site");
install(source);
const program = join(source, "node_modules", "vitepress", "bin", "vitepress.js");
const { status } = spawnSync(process.execPath, [program, "build", source], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

const site = join(root, "build", "site");
const studio = join(root, "packages", "studio", "dist", "site");
cpSync(studio, join(site, "studio"), { recursive: true });
const page = join(site, "studio", "index.html");
const help = '<link rel="help" href="../guide.html">';
writeFileSync(page, readFileSync(page, "utf8").replace("</head>", `${help}\n</head>`));
cpSync(join(studio, "icon.svg"), join(site, "icon.svg"));
// The hosts that read this file read it at the root of the site only.
const headers = readFileSync(join(studio, "_headers"), "utf8");
writeFileSync(join(site, "_headers"), headers.replace(/^\/\*/, "/studio/*"));
console.error(`The site is in ${site}.`);
