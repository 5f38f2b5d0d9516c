import { readdirSync } from "node:fs";
import { defineConfig } from "vitepress";
import { renderFormulas } from "./formulas.js";
import { followLinks, pageOf, root } from "./links.js";
import { navigation, sidebar } from "./sidebar.js";

/** The folder below which a host serves the site, such as `/vouch/`. */
const base = process.env.SITE_BASE ?? "/";

/** Words and numbers: 3.5 is one of them, so that a theorem is found by its number. */
const tokenize = (text: string) => text.match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? [];

/** All words must occur; longer words may contain a typo. */
const searchOptions = {
  combineWith: "AND",
  fuzzy: (term: string) => (term.length > 5 ? 0.2 : false),
  prefix: true,
  boost: { title: 4, titles: 1, text: 2 },
};

/** The address of a heading as GitHub makes it, so that links lead to it in both places. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Pages are the Markdown files of the repository as they are: docs at the root of the site, and those that docs link to. */
export default defineConfig({
  title: "vouch",
  description: "Train a classifier on a table, and find out whether you can trust it.",
  lang: "en",
  base,
  srcDir: "..",
  srcExclude: readdirSync(root)
    .filter((name) => !["docs", "site", "examples", "CONTRIBUTING.md", "CHANGELOG.md"].includes(name))
    .flatMap((name) => [name, `${name}/**`]),
  outDir: "../build/site",
  cacheDir: "../build/site-cache",
  rewrites: pageOf,
  head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
  lastUpdated: false,
  // The studio is a site of its own, which is copied beside the pages.
  ignoreDeadLinks: [/\/studio\//],
  vite: {
    plugins: [
      {
        // Pages lie outside of the folder whose packages they import: leave it to Node, which starts from the built files.
        name: "vue of the site",
        enforce: "pre",
        resolveId: (id, _, { ssr }) =>
          ssr && (id === "vue" || id === "vue/server-renderer") ? { id, external: true } : undefined,
      },
    ],
  },
  markdown: {
    // Braces in the docs are formulas.
    attrs: { disable: true },
    anchor: { slugify },
    config(markdown) {
      followLinks(markdown, base);
      renderFormulas(markdown);
    },
  },
  // Wide tables take the place of the outline.
  transformPageData: ({ relativePath, frontmatter }) => {
    if (/^(papers|results\/)/.test(relativePath)) frontmatter.aside = false;
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: navigation,
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: "local", options: { miniSearch: { options: { tokenize }, searchOptions } } },
    ...(process.env.SITE_REPOSITORY && {
      socialLinks: [{ icon: "github", link: process.env.SITE_REPOSITORY }],
    }),
  },
});
