import {
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { accuracyOn, dividedSet, fitDivision, trainingRows } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { papers } from "../papers.js";
import { type HierarchySet, tuneSettings } from "./svm-settings.js";

/** The number of levels in the figures of the paper. */
const LEVELS = 5;

/** Some classes are ignored, but most are not. */
const RHO = 0.2;

/** Data sets whose class names show what classes have in common: genus and species, or newsgroups. */
const sets: Readonly<Record<Scale, readonly HierarchySet[]>> = {
  quick: [{ dataset: "iris", kernel: "rbf" }],
  paper: [
    { dataset: "leaves100", kernel: "rbf" },
    { dataset: "news20", kernel: "linear" },
  ],
};

const nodeSchema = z.strictObject({
  /** Names of the classes on each side, and of ignored classes, which go to both. */
  left: z.array(z.string()),
  right: z.array(z.string()),
  ignored: z.array(z.string()),
  margin: z.number(),
  rows: z.int(),
  errors: z.int(),
  supportVectors: z.int().optional(),
  leftChild: z.union([z.strictObject({ node: z.int() }), z.strictObject({ class: z.string() })]),
  rightChild: z.union([z.strictObject({ node: z.int() }), z.strictObject({ class: z.string() })]),
});

/** A node of a learned hierarchy. */
type PictureNode = z.infer<typeof nodeSchema>;

/** Description of a hierarchy; the first node is the root, and children are numbered from 1. */
const describedSchema = z.looseObject({
  sections: z.tuple([z.looseObject({ nodes: z.array(nodeSchema) })]),
});

const pictureSchema = z.strictObject({
  dataset: z.string(),
  kernel: z.string(),
  rho: z.number(),
  training: z.int(),
  classes: z.int(),
  accuracy: z.number().min(0).max(1),
  /** Number of all nodes; `nodes` contains the first levels. */
  nodeCount: z.int(),
  nodes: z.array(nodeSchema),
});

/** The first levels of the hierarchy of a data set. */
type Picture = z.infer<typeof pictureSchema>;

const hierarchiesSchema = z.strictObject({
  pictures: z.array(pictureSchema),
  absent: z.array(z.string()),
});

/** Experiment: the figures of §5, for other data. */
export const learnedHierarchies = defineExperiment({
  name: "relaxed-hierarchy/hierarchies",
  paper: papers.hierarchies.citation,
  shows:
    "§5, Figures 1 to 3: the first five levels of learned hierarchies, on other data than in the paper: plant species and newsgroups, whose names show whether related classes stay together.",
  cost: {
    quick: "one shipped data set: a second",
    paper: "leaves100 and news20, if available locally: about a minute",
  },
  data: hierarchiesSchema,
  async measure(run) {
    const wanted = sets[run.scale];
    const { present, absent } = await availableSets(
      wanted.map(({ dataset }) => dataset),
      run.scale,
    );
    const shown = wanted.filter(({ dataset }) => present.includes(dataset));
    const names = shown.map(({ dataset }) => dataset);
    const pictures = await partsOf(run, names, pictureSchema, (_, k) => pictureOf(shown[k], run));
    return { pictures, absent };
  },
  tables: hierarchiesPage,
});

async function pictureOf({ dataset, kernel }: HierarchySet, run: ExperimentRun): Promise<Picture> {
  const set = await dividedSet(dataset, run);
  const division = set.division(run.seed, 0);
  const settings = await tuneSettings(trainingRows(division), kernel, dataset, run);
  const learner = relaxedHierarchy({ ...settings, rho: RHO });
  const { model, test } = await fitDivision(learner, division, dataset, run);
  const nodes = nodesOf(model);
  return {
    dataset,
    kernel,
    rho: RHO,
    training: set.training,
    classes: set.classes,
    accuracy: await accuracyOn(model, test, run),
    nodeCount: nodes.length,
    nodes: firstLevels(nodes),
  };
}

function nodesOf(model: RelaxedHierarchyModel): PictureNode[] {
  return describedSchema.parse(model.describe()).sections[0].nodes;
}

/**
 * Returns the nodes of the first levels, parents before children; nodes of the last level have no children (node 0).
 */
function firstLevels(nodes: readonly PictureNode[]): PictureNode[] {
  let level = [0];
  const seen = new Set(level);
  for (let depth = 1; depth < LEVELS; depth++) {
    level = level.flatMap((j) =>
      [nodes[j].leftChild, nodes[j].rightChild].flatMap((child) => ("node" in child ? [child.node - 1] : [])),
    );
    for (const j of level) seen.add(j);
  }
  const kept = [...seen].sort((a, b) => a - b);
  const place = new Map(kept.map((j, k) => [j, k + 1]));
  const renumbered = (child: PictureNode["leftChild"]) =>
    "node" in child ? { node: place.get(child.node - 1) ?? 0 } : child;
  return kept.map((j) => ({
    ...nodes[j],
    leftChild: renumbered(nodes[j].leftChild),
    rightChild: renumbered(nodes[j].rightChild),
  }));
}

const NOTES = `\
Each node separates its classes into left and right; the classes listed as _both_ are ignored there and go to both sides. If there
are many classes, they are counted by the first part of their names (genus; group of newsgroups). A node with several parents is
drawn once.`;

/** Up to this many names are listed; more are counted by their first part. */
const FEW_NAMES = 4;

/** Maximum number of groups of names. */
const MOST_GROUPS = 8;

/** Renders the result. */
function hierarchiesPage({ pictures, absent }: z.output<typeof hierarchiesSchema>): string {
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

/** Draws the nodes as an indented tree. */
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

/** Lists a few names; counts many by their first part. */
function namesOf(names: readonly string[]): string {
  if (names.length <= FEW_NAMES) return names.join(", ");
  const counts = new Map<string, number>();
  for (const name of names) {
    const [first] = name.split(/[._/]/);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const groups = [...counts].sort((a, b) => b[1] - a[1]);
  const listed = groups
    .slice(0, MOST_GROUPS)
    .map(([group, count]) => `${group}${count > 1 ? ` ×${count}` : ""}`);
  const rest = groups.length > MOST_GROUPS ? ", …" : "";
  return `${names.length} classes: ${listed.join(", ")}${rest}`;
}
