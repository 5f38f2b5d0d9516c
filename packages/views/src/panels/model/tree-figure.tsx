import type { TreeNode, TreeSection } from "@vouch/core/internal/learners/description";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { ClassLegend } from "../../charts/class-colours.js";
import { countSplits, shownSplits } from "../../facts/model/tree-outline.js";
import { Outlined } from "../../text/outlined.js";
import { CascadeFlow } from "./cascade-flow.js";
import { TreeList } from "./tree-list.js";
import { TreePicture } from "./tree-picture.js";

/**
 * Draws a decision tree with the class distributions at its splits, or the gates of a cascade with the rows that pass
 * them.
 */
export function TreeFigure({ section: { root, gates, note } }: { readonly section: TreeSection }) {
  const classes = treeClasses(root);
  const places = new Map(classes.map((name, k) => [name, k]));
  const list = <TreeList root={root} places={places} />;
  if (gates === true && (root.rows ?? 0) > 0) {
    return (
      <>
        <p>
          {root.kind === "leaf"
            ? "No gate is worth its complexity: one classifier answers all rows."
            : "Training rows flow from top to bottom. Each gate keeps some rows for a classifier and passes the others on."}
          {" Orange: misclassified training rows."}
        </p>
        <CascadeFlow root={root} />
        <details class="outline-only">
          <summary>The cascade as text</summary>
          {list}
        </details>
      </>
    );
  }
  const splits = countSplits(root);
  const listed = shownSplits(root).size;
  return (
    <>
      <p>
        {note ??
          "A new row starts at the top. Each condition decides where it goes, until a leaf gives its class."}
        {splits > listed &&
          ` ${listed} of ${formatCount(splits, "split")} are listed: open a line to see what is below it.`}
      </p>
      <ClassLegend classes={classes} />
      {root.rows === undefined ? (
        list
      ) : (
        <Outlined picture={<TreePicture root={root} places={places} />} summary="The tree as text">
          {list}
        </Outlined>
      )}
    </>
  );
}

/** Lists the classes of the leaves in order; if there are many, the classes that the distributions name. */
function treeClasses(root: TreeNode): readonly string[] {
  const leaf = firstShares(root).map(({ class: name }) => name);
  const named = root.kind === "split" ? (root.distribution?.classes ?? []).map((one) => one.class) : [];
  return named.length > 0 && named.length < leaf.length ? named : leaf;
}

function firstShares(node: TreeNode): readonly { readonly class: string }[] {
  if (node.kind === "leaf") return node.shares ?? [];
  return node.branches.map((branch) => firstShares(branch.node)).find(({ length }) => length > 0) ?? [];
}
