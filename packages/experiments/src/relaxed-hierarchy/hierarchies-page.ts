import { formatCount, formatNumber, formatPercent } from "vouch";
import type { z } from "zod";
import { absenceNote } from "../available-sets.js";
import type { hierarchiesSchema, Picture, PictureNode } from "./hierarchies-data.js";

const NOTES = `\
Each node separates its classes into left and right; the classes listed as _both_ are ignored there and go to both sides. If there
are many classes, they are counted by the first part of their names (genus; group of newsgroups). A node with several parents is
drawn once.`;

/** So many names are told before they are counted by their first part. */
const FEW_NAMES = 4;

/** So many groups of names at most. */
const MOST_GROUPS = 8;

/** The result as Markdown. */
export function hierarchiesPage({ pictures, absent }: z.output<typeof hierarchiesSchema>): string {
  return [
    NOTES,
    ...pictures.flatMap((picture) => [
      `### ${picture.dataset}`,
      pictureLine(picture),
      `\`\`\`text\n${drawing(picture.nodes).join("\n")}\n\`\`\``,
    ]),
    ...absenceNote(absent),
  ].join("\n\n");
}

function pictureLine({ kernel, rho, training, classes, accuracy, nodeCount }: Picture): string {
  return `${formatCount(classes, "class", "classes")}, ${formatNumber(training)} training rows, kernel ${kernel}, ρ = ${rho}: ${formatCount(nodeCount, "node")}, accuracy ${formatPercent(accuracy)} on test rows.`;
}

/** The nodes as an indented tree. */
function drawing(nodes: readonly PictureNode[]): string[] {
  const drawn = new Set<number>();
  const visit = (j: number, indent: string): string[] => {
    if (drawn.has(j)) return [`${indent}node ${j + 1}, as above`];
    drawn.add(j);
    const { left, right, ignored, margin, rows, errors, leftChild, rightChild } = nodes[j];
    const facts = `margin ${formatNumber(margin)}, ${errors} of ${formatCount(rows, "row")} wrong`;
    const both = ignored.length > 0 ? [`${indent}│ both:  ${namesOf(ignored)}`] : [];
    return [
      `${indent}node ${j + 1}: ${facts}`,
      ...both,
      `${indent}├ left:  ${namesOf(left)}`,
      ...below(leftChild, `${indent}│   `),
      `${indent}└ right: ${namesOf(right)}`,
      ...below(rightChild, `${indent}    `),
    ];
  };
  const below = (child: PictureNode["leftChild"], indent: string): string[] =>
    "node" in child && child.node > 0 ? visit(child.node - 1, indent) : [];
  return nodes.length > 0 ? visit(0, "") : [];
}

/** Few names as they are, many counted by their first part. */
function namesOf(names: readonly string[]): string {
  if (names.length <= FEW_NAMES) return names.join(", ");
  const counts = new Map<string, number>();
  for (const name of names) {
    const [first] = name.split(/[._/]/);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const groups = [...counts].sort((a, b) => b[1] - a[1]);
  const told = groups
    .slice(0, MOST_GROUPS)
    .map(([group, count]) => `${group}${count > 1 ? ` ×${count}` : ""}`);
  const rest = groups.length > MOST_GROUPS ? ", …" : "";
  return `${names.length} classes: ${told.join(", ")}${rest}`;
}
