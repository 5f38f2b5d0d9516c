// Writes the catalogue into docs/datasets.md, between its markers. Run it after a change of the catalogue.
import { readFileSync, writeFileSync } from "node:fs";
import { catalogueNotes, catalogueTable } from "./dist/markdown-table.js";

const page = new URL("../../docs/datasets.md", import.meta.url);
const between = (text, name, content) =>
  text.replace(
    new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`),
    (_, start, end) => `${start}\n${content}\n${end}`,
  );
const text = between(readFileSync(page, "utf8"), "table", catalogueTable());
writeFileSync(page, between(text, "notes", catalogueNotes()));
