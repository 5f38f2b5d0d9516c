import type { Fact, TreeLeaf, TreeNode, TreeSplit } from "@vouch/core/internal/learners/description";
import { formatCount, formatPercent, formatValue } from "@vouch/core/internal/runtime/text/number-format";
import { type ClassPlaces, classFill } from "../../charts/class-colours.js";
import { countSplits, largestShares, shownSplits } from "../../facts/model/tree-outline.js";
import { Name, Sentences } from "../../text/name.js";
import { SplitPicture } from "./split-picture.js";

/** Facts about the whole tree: rows at the root, the splits shown at first, and the colours of the classes. */
interface WholeTree {
  readonly rows: number;
  readonly shown: ReadonlySet<TreeSplit>;
  readonly places: ClassPlaces;
}

interface TreeListProps {
  readonly root: TreeNode;
  readonly places: ClassPlaces;
}

/** Outlines a tree: the condition at each split, and the number of training rows at each leaf. */
export function TreeList({ root, places }: TreeListProps) {
  const whole = { rows: root.rows ?? 0, shown: shownSplits(root), places };
  const start = root.rows === undefined ? "All rows" : formatCount(root.rows, "training row");
  return (
    <ul class="tree">
      <Branch node={root} title={start} whole={whole} />
    </ul>
  );
}

interface BranchProps<Node> {
  readonly node: Node;
  readonly title: string;
  readonly whole: WholeTree;
}

function Branch({ node, title, whole }: BranchProps<TreeNode>) {
  if (node.kind === "leaf") return <Leaf node={node} title={title} whole={whole} />;
  const { condition, facts, distribution, branches, label } = node;
  const below = (
    <ul>
      {branches.map(({ outcome, node: child }) => (
        <Branch key={outcome} node={child} title={branchTitle(outcome, child)} whole={whole} />
      ))}
    </ul>
  );
  const split = (
    <>
      {title}:{" "}
      <b>
        <Sentences text={condition} />
      </b>
      <Notes facts={facts} />
    </>
  );
  if (whole.shown.has(node)) {
    return (
      <li>
        <p>{split}</p>
        {distribution && (
          <SplitPicture distribution={distribution} places={whole.places} width={220} height={56} />
        )}
        {below}
      </li>
    );
  }
  return (
    <li>
      <details>
        <summary>
          {split}{" "}
          <span class="note">
            (<Name text={hiddenNote(countSplits(node), label)} />)
          </span>
        </summary>
        {below}
      </details>
    </li>
  );
}

function Leaf({ node, title, whole }: BranchProps<TreeLeaf>) {
  const { label, rows, facts, hiddenSplits } = node;
  if (hiddenSplits !== undefined) {
    return (
      <li>
        <p>
          {title}{" "}
          <span class="note">
            (<Name text={hiddenNote(hiddenSplits, label)} />; not shown)
          </span>
        </p>
      </li>
    );
  }
  return (
    <li>
      <p>
        {title}:{" "}
        <b>
          <Name text={label ?? ""} />
        </b>
        <ShareNotes node={node} />
        <Notes facts={facts} />
      </p>
      {rows !== undefined && (
        <svg class="flow" aria-hidden="true" style={`width:${barWidth(rows, whole)}`}>
          <LeafBar node={node} places={whole.places} />
        </svg>
      )}
    </li>
  );
}

/** Draws a full-width bar, divided by class. */
function LeafBar({ node, places }: { readonly node: TreeLeaf; readonly places: ClassPlaces }) {
  const { shares = [] } = node;
  if (shares.length === 0) return <rect width="100%" height="100%" class="class0" />;
  let from = 0;
  return (
    <>
      {shares.map(({ class: name, share }) => {
        const x = from;
        from += share;
        if (share === 0) return null;
        return (
          <rect
            key={name}
            x={percent(x)}
            width={percent(share)}
            height="100%"
            class={classFill(places, name)}
          />
        );
      })}
    </>
  );
}

function hiddenNote(splits: number, label: string | undefined): string {
  return `${formatCount(splits, "split")}${label === undefined ? "" : `, most often ${label}`}`;
}

function branchTitle(outcome: string, { rows }: TreeNode): string {
  return rows === undefined ? outcome : `${outcome}: ${formatCount(rows, "row")}`;
}

function Notes({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <>
      <br />
      <span class="note">
        {facts.map(({ name, value, unit }) => `${name} ${formatValue(value, unit)}`).join(", ")}
      </span>
    </>
  );
}

function ShareNotes({ node }: { readonly node: TreeLeaf }) {
  const shares = largestShares(node);
  if (shares.length === 0) return null;
  const words = shares.map((one) => `${one.class} ${formatPercent(one.share)}`);
  return (
    <span class="note">
      {" "}
      (<Sentences text={words.join(", ")} />)
    </span>
  );
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** Scales the bars of all depths alike. */
function barWidth(rows: number, whole: WholeTree): string {
  const share = whole.rows > 0 ? Number((rows / whole.rows).toFixed(4)) : 0;
  return `calc(${share}*var(--flow-width))`;
}
