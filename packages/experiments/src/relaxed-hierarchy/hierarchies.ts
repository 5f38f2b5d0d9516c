import { type RelaxedHierarchyModel, relaxedHierarchy } from "vouch";
import { availableSets } from "../available-sets.js";
import { dividedSet } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partOf, type Scale } from "../experiment.js";
import { fitDivision } from "../fit-division.js";
import {
  describedSchema,
  hierarchiesSchema,
  type Picture,
  type PictureNode,
  pictureSchema,
} from "./hierarchies-data.js";
import { hierarchiesPage } from "./hierarchies-page.js";
import { paper } from "./paper.js";
import type { HierarchySet } from "./sets.js";
import { tunedMachines } from "./tuned-machines.js";

/** As many as the paper's figures show. */
const LEVELS = 5;

/** Some classes are ignored, most take part. */
const RHO = 0.2;

/** Sets whose classes have names that say what they have in common: genus and species, or groups of groups. */
const sets: Readonly<Record<Scale, readonly HierarchySet[]>> = {
  quick: [{ dataset: "iris", kernel: "rbf" }],
  paper: [
    { dataset: "leaves100", kernel: "rbf" },
    { dataset: "news20", kernel: "linear" },
  ],
};

/** The pictures of §5, for other data. */
export const learnedHierarchies = defineExperiment({
  name: "relaxed-hierarchy/hierarchies",
  paper,
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
    const pictures: Picture[] = [];
    for (const set of wanted.filter(({ dataset }) => present.includes(dataset))) {
      pictures.push(await partOf(run, set.dataset, pictureSchema, () => pictureOf(set, run)));
    }
    return { pictures, absent };
  },
  tables: hierarchiesPage,
});

async function pictureOf({ dataset, kernel }: HierarchySet, run: ExperimentRun): Promise<Picture> {
  const set = await dividedSet(dataset, run.signal);
  const division = set.division(run.seed, 0);
  const settings = await tunedMachines(division.training, kernel, dataset, run);
  const learner = relaxedHierarchy({ ...settings, rho: RHO });
  const { model, accuracyOf } = await fitDivision(learner, division, dataset, run);
  const nodes = nodesOf(model);
  return {
    dataset,
    kernel,
    rho: RHO,
    training: set.training,
    classes: set.classes,
    accuracy: accuracyOf(model),
    nodeCount: nodes.length,
    nodes: firstLevels(nodes),
  };
}

function nodesOf(model: RelaxedHierarchyModel): PictureNode[] {
  return describedSchema.parse(model.describe()).sections[0].nodes;
}

/** The nodes of the first levels, in their order, which leads from parents to children; the last of them lead nowhere. */
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
