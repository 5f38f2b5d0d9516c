import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { MarkdownRenderer } from "vitepress";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const docs = join(root, "docs");

/** The page of the reference for each source of an entry point, which docs/api.md links to. */
const doors = new Map(
  Array.from(
    readFileSync(join(docs, "api.md"), "utf8").matchAll(/^\| \[`(.*)`\]\(\.\.\/(.*)\)/gm),
    ([, name, source]) => [source, `/api/${name.replace("@vouch/", "").replaceAll("/", "-")}`],
  ),
);

/**
 * Lets links of the repository work on the site: to sources at the address of the repository (without one, the link becomes plain text), to
 * the playground itself instead of the page about it, and to pages where the site shows them.
 */
export function followLinks(markdown: MarkdownRenderer, base: string): void {
  markdown.core.ruler.push("links of the repository", ({ tokens, env }) => {
    for (const { children } of tokens) {
      let dropped = 0;
      for (const token of children ?? []) {
        if (token.type === "link_close" && dropped > 0) {
          dropped--;
          token.type = "text";
          token.content = "";
        }
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href === null || /^(\w+:|#|\/)/.test(href)) continue;
        const address = addressOf(href, env.realPath ?? env.path);
        if (address === undefined) {
          dropped++;
          token.type = "text";
          token.content = "";
        } else if (address.startsWith("/studio/")) {
          // VitePress would take it for a page of its own.
          token.attrSet("href", `${base}${address.slice(1)}`);
          token.attrSet("target", "_self");
        } else token.attrSet("href", address);
      }
    }
  });
}

/** The address on the site of a link in a file of the repository; undefined if it leads out of the site to nowhere. */
function addressOf(href: string, from: string): string | undefined {
  const [path, hash = ""] = href.split(/(?=#)/);
  if (hash.startsWith("#playground?") || (hash === "#playground" && path.endsWith("playground.md")))
    return `/studio/${hash}`;
  const file = posix.join(posix.relative(root, dirname(from)), path);
  const door = doors.get(file);
  if (door !== undefined) return door;
  // The start page of the site has other sections than the README.
  if (file === "README.md") return "/";
  if (isPage(file)) return `/${pageOf(file)}${hash}`;
  if (!existsSync(join(root, file))) throw new Error(`${from}: ${href} leads nowhere.`);
  const repository = process.env.SITE_REPOSITORY;
  return repository && `${repository}/blob/main/${file}${hash}`;
}

const isPage = (file: string) => /^(docs\/.*|examples\/README|CONTRIBUTING|CHANGELOG)\.md$/.test(file);

/** Where the site shows a Markdown file of the repository. */
export const pageOf = (file: string) =>
  file
    .replace(/^docs\/README\.md$/, "guide.md")
    .replace(/^docs\//, "")
    .replace(/README\.md$/, "index.md")
    .replace(/^site\//, "");
