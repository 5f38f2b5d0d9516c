/**
 * Bundles the style sheets into a TypeScript module, so that a report is one file and bundlers need no loader for
 * styles.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = pathOf("src/style-sheet.generated.ts");

const {
  outputFiles: [{ text }],
} = await build({
  entryPoints: [pathOf("src/styles/index.css")],
  bundle: true,
  minify: true,
  write: false,
});
const module = `/** The style of a page: system fonts, one column, tables that scroll by themselves if they are too wide. */
export const styleSheet =
  ${JSON.stringify(text.trim())};
`;

/** Reads the module of the last build. */
function built() {
  try {
    return readFileSync(target, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

// An unchanged file keeps its modification time, so that packages are not rebuilt.
if (built() !== module) writeFileSync(target, module);
