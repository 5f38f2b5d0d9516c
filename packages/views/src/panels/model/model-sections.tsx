import type {
  Description,
  DescriptionSection,
  TableSection,
} from "@vouch/core/internal/learners/description";
import { pixelGrid } from "@vouch/core/internal/learners/pixel-grid";
import { formatValue } from "@vouch/core/internal/runtime/text/number-format";
import type { VNode } from "preact";
import { FactList, NumberedTable, type TableCell } from "../../page/tables.js";
import { capitalised } from "../../text/text.js";
import { CurveFigure } from "./curve-figure.js";
import { HierarchyFigure } from "./hierarchy-figure.js";
import { ImageFigure, PixelImportance } from "./image-figure.js";
import { LayerFigure } from "./layer-figure.js";
import { TreeFigure } from "./tree-figure.js";

/** Maximum number of table rows to list. */
const MOST_ROWS = 10;

/** Headings in order, and the kinds of sections below each. */
const places: readonly { readonly heading: string; readonly kinds: readonly DescriptionSection["kind"][] }[] =
  [
    { heading: "How does it decide?", kinds: ["tree", "hierarchy"] },
    { heading: "Which pixels does it use?", kinds: ["importance", "images"] },
    { heading: "What does each layer add?", kinds: ["layers"] },
    { heading: "How did training go?", kinds: ["curve"] },
    { heading: "What is the model made of?", kinds: ["table"] },
  ];

/**
 * Shows the description of a model under headings: trees, hierarchies, images, layers and curves, then facts and
 * tables.
 */
export function modelSections({ facts, sections }: Description): (readonly [heading: string, body: VNode])[] {
  return places.flatMap(({ heading, kinds }) => {
    const own = sections.filter((section) => kinds.includes(section.kind) && hasPicture(section));
    const isStated = kinds.includes("table") && facts.length > 0;
    if (own.length === 0 && !isStated) return [];
    const content = (
      <>
        {isStated && (
          <FactList
            facts={facts.map(({ name, value, unit }) => ({ label: name, value: formatValue(value, unit) }))}
          />
        )}
        {own.map((section, i) =>
          i > 0 && section.kind === "tree" ? (
            // The first tree is open, as an example of all trees.
            <details key={i} class="model-section">
              <summary>{capitalised(section.title)}</summary>
              <Picture section={section} />
            </details>
          ) : (
            <div key={i} class="model-section">
              {(own.length > 1 || section.kind === "table") && <h3>{capitalised(section.title)}</h3>}
              <Picture section={section} />
            </div>
          ),
        )}
      </>
    );
    return [[heading, content] as const];
  });
}

/** Returns whether a section has a picture. */
function hasPicture(section: DescriptionSection): boolean {
  switch (section.kind) {
    case "table":
      return section.rows.length > 0;
    case "curve":
      return section.series.some(({ values }) => values.some(Number.isFinite));
    case "layers":
      return section.layers.length > 0;
    case "hierarchy":
      return section.nodes.length > 0;
    case "images":
      return section.images.length > 0;
    case "importance":
      return pixelGrid(section.features.map(({ name }) => name)) !== undefined;
    case "tree":
      return true;
  }
}

function Picture({ section }: { readonly section: DescriptionSection }) {
  switch (section.kind) {
    case "table":
      return <ModelTable table={section} />;
    case "tree":
      return <TreeFigure section={section} />;
    case "curve":
      return <CurveFigure section={section} />;
    case "layers":
      return <LayerFigure section={section} />;
    case "hierarchy":
      return <HierarchyFigure nodes={section.nodes} />;
    case "images":
      return <ImageFigure section={section} />;
    case "importance":
      return <PixelImportance features={section.features} />;
  }
}

function ModelTable({ table: { title, columns, rows } }: { readonly table: TableSection }) {
  const ends = columns.map(({ bars }, c) => (bars ? largest(rows, c) : 0));
  const cells = rows.slice(0, MOST_ROWS).map((row) =>
    row.map((value, c): TableCell => {
      if (typeof value !== "number") return value;
      const shown = formatValue(value, columns[c].unit);
      return ends[c] > 0 ? { shown, share: Math.abs(value) / ends[c] } : { shown };
    }),
  );
  return (
    <NumberedTable
      label={title}
      headings={columns.map(({ name }) => capitalised(name))}
      rows={cells}
      total={rows.length}
    />
  );
}

function largest(rows: TableSection["rows"], column: number): number {
  return rows.reduce((most, row) => {
    const value = row[column];
    return typeof value === "number" && Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most;
  }, 0);
}
