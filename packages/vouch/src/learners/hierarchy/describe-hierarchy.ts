import type { Json } from "../../runtime/state.js";
import { type Child, depthOf } from "./graph.js";
import { marginOf, type RelaxedHierarchyModel } from "./hierarchy-model.js";

/** A hierarchy in words and numbers: its kernel, its size, and its nodes, which are numbered from 1. */
export function describeHierarchy(model: RelaxedHierarchyModel): Json {
  const { nodes, graph, machines, training, squaredRadius } = model;
  const { kind, ...parameters } = machines.kernel;
  return {
    kernel: kind,
    ...parameters,
    ...(training && { supportVectors: training.kept }),
    squaredRadius,
    depth: depthOf(graph),
    hierarchy: {
      nodes: nodes.map((node, j): Json => {
        const named = (colour: number) =>
          Array.from(
            node.classes.filter((_, place) => node.colours[place] === colour),
            (k) => model.classes[k],
          );
        const support = machines.supportOf(j).length;
        return {
          left: named(-1),
          right: named(1),
          ignored: named(0),
          margin: marginOf(node),
          rows: node.rows,
          errors: node.errors,
          ...(support > 0 && { supportVectors: support }),
          leftChild: described(graph[j].left, model.classes),
          rightChild: described(graph[j].right, model.classes),
        };
      }),
    },
  };
}

function described(child: Child, classes: readonly string[]): Json {
  return child.kind === "node" ? { node: child.node + 1 } : { class: classes[child.class] };
}
