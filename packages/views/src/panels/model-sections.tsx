import { type Description, formatValue, type Section, type TableSection } from "vouch/train";
import { curveFigure } from "./curve-figure.js";
import { hierarchyFigure } from "./hierarchy-figure.js";
import { layerFigure } from "./layer-figure.js";
import { capitalised, html, type Markup } from "./markup.js";
import { factTable, numberedTable, type PageSection } from "./page.js";
import { treeFigure } from "./tree-figure.js";

/** The number of rows of a table that the report lists. */
const MOST_ROWS = 10;

/** The headings, in this order, and the kinds of sections below each. Importance is next to the measurements of the report. */
const places: readonly { readonly heading: string; readonly kinds: readonly Section["kind"][] }[] = [
  { heading: "How does it decide?", kinds: ["tree", "hierarchy"] },
  { heading: "What does each layer add?", kinds: ["layers"] },
  { heading: "How did training go?", kinds: ["curve"] },
  { heading: "What is the model made of?", kinds: ["table"] },
];

/** Draws the description of a model: its trees, hierarchies, layers and curves, then its facts and tables. */
export function modelSections({ facts, sections }: Description): PageSection[] {
  return places.map(({ heading, kinds }) => {
    const own = sections.filter(({ kind }) => kinds.includes(kind));
    const drawn = own.flatMap((section) => drawSection(section, own.length > 1) ?? []);
    const stated = kinds.includes("table") && facts.length > 0;
    const named = facts.map(({ name, value, unit }) => ({ label: name, value: formatValue(value, unit) }));
    return [heading, stated || drawn.length > 0 ? html`${stated && factTable(named)}${drawn}` : undefined];
  });
}

function drawSection(section: Section, titled: boolean): Markup | undefined {
  const drawn = pictureOf(section);
  if (!drawn || !(titled || section.kind === "table")) return drawn;
  return html`<h3>${capitalised(section.title)}</h3>
${drawn}`;
}

function pictureOf(section: Section): Markup | undefined {
  switch (section.kind) {
    case "table":
      return tableOf(section);
    case "tree":
      return treeFigure(section);
    case "curve":
      return curveFigure(section);
    case "layers":
      return layerFigure(section);
    case "hierarchy":
      return hierarchyFigure(section.nodes);
    case "importance":
      return undefined;
  }
}

function tableOf({ title, columns, rows }: TableSection): Markup | undefined {
  if (rows.length === 0) return undefined;
  const cells = rows
    .slice(0, MOST_ROWS)
    .map((row) =>
      row.map((value, c) =>
        typeof value === "number" ? { shown: formatValue(value, columns[c].unit) } : value,
      ),
    );
  const headings = columns.map(({ name }) => capitalised(name));
  return numberedTable(title, headings, cells, rows.length);
}
