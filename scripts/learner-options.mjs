/** The options of learners as tables in Markdown. */
import { describeOptions } from "@vouch/core/internal/learners/options";
import { settingText } from "@vouch/core/internal/learners/settings";

/** The table of the options of a learner. Options of a base learner are one row, because they are set as base.NAME. */
export function learnerOptions({ options, baseNamed }) {
  const rows = describeOptions(options).map(({ name, allowed, default: usual, description }) =>
    baseNamed && name === "baseOptions" ? BASE_OPTIONS : row(name, settingText(usual), allowed, description),
  );
  if (rows.length === 0) return "None.\n";
  return `| option | default | must be | what it does |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

const BASE_OPTIONS =
  "| `base.NAME` | as in the base | as in the base | An option of the base learner. In code: `baseOptions: { NAME: … }`. |";

function row(name, usual, allowed, description) {
  return `| \`${name}\` | ${usual === "" ? "none" : `\`${cell(usual)}\``} | ${cell(allowed)} | ${cell(description)} |`;
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
