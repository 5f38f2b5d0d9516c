import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DefaultTheme } from "vitepress";
import { docs } from "./links.js";

type Item = DefaultTheme.SidebarItem;

export const navigation: DefaultTheme.NavItem[] = [
  { text: "Tutorial", link: "/tutorial" },
  { text: "Guide", link: "/guide" },
  {
    text: "Reference",
    items: [
      { text: "Command line", link: "/cli" },
      { text: "Error codes", link: "/errors" },
      { text: "Library", link: "/api" },
      { text: "Papers and theorems", link: "/papers" },
      { text: "Results", link: "/results/" },
    ],
  },
  { text: "Studio", link: "/studio/", target: "_self" },
  { text: "Playground", link: "/studio/#playground", target: "_self" },
];

/** The sections of docs/README.md with the pages that each links to, so that the index and the sidebar are one list. */
export function sidebar(): Item[] {
  const placed = new Set<string>();
  const sections = readFileSync(join(docs, "README.md"), "utf8").split(/^## /m);
  return sections
    .map((section, i) => {
      const [title] = (i === 0 ? "Start" : section).split(/[\n:]/);
      const items = Array.from(section.matchAll(/\]\(([\w/-]+\.md)\)/g), ([, path]) => path)
        .filter((path) => !placed.has(path) && placed.add(path))
        .map(itemOf);
      return { text: title, items, collapsed: i > 1 };
    })
    .filter(({ items }) => items.length > 0);
}

/** A page under its heading; below the index of a folder, all pages of the folder. */
function itemOf(path: string): Item {
  const item = { text: headingOf(path), link: linkOf(path) };
  const folder = path.replace(/(\/README)?\.md$/, "");
  if (!existsSync(join(docs, folder)) || folder === "learners") return item;
  const pages = readdirSync(join(docs, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".md") && name !== path)
    .sort();
  return {
    ...item,
    collapsed: true,
    items: pages.map((page) => ({ text: headingOf(page), link: linkOf(page) })),
  };
}

function headingOf(path: string): string {
  const [, heading = path] = readFileSync(join(docs, path), "utf8").match(/^# (.+)$/m) ?? [];
  return heading.replaceAll("`", "");
}

const linkOf = (path: string) => `/${path.replace(/README\.md$/, "").replace(/\.md$/, "")}`;
