import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import type { ShownModel } from "../page-data.js";

/** Describes what a model predicts, how it was trained and what it expects. */
export function ModelSubtitle({ model }: { readonly model: ShownModel }) {
  const { facts, version, columns, classes } = model;
  const { target, learner, trained } = facts;
  return (
    <p class="subtitle">
      <span>version {version}</span> <span>predicts {target}</span> <span>{learner}</span>{" "}
      <span>
        trained on {formatCount(trained.rows, "row")} of {trained.data}
      </span>{" "}
      <span>{formatCount(columns, "column")}</span> <span>{formatCount(classes, "class", "classes")}</span>
    </p>
  );
}
