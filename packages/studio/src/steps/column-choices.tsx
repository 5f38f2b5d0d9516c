import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { Spark } from "@vouch/views/internal/panels/columns/column-table";
import { Term } from "@vouch/views/internal/text/term";
import { unbroken } from "@vouch/views/internal/text/text";
import {
  type ChosenKind,
  type ColumnOverview,
  type DataOverview,
  type Fault,
  MOST_LISTED,
} from "../engine/protocol.js";
import { FaultBox } from "../page/fault-box.js";
import type { Studio } from "../page/studio.js";

const CHOSEN_KINDS: readonly ChosenKind[] = ["numeric", "categorical", "date", "text", "ignored"];

interface ColumnChoicesProps {
  readonly overview: DataOverview;
  readonly isDisabled: boolean;
  readonly fault: Studio["fault"]["value"];
  readonly onKind: (name: string, kind: ChosenKind) => void;
}

/** Lists the columns with small distributions, and lets the user change their kinds. */
export function ColumnChoices({
  overview: { columns, rows },
  isDisabled,
  fault,
  onKind,
}: ColumnChoicesProps) {
  const faulty = typeof fault?.place === "object" ? fault.place.column : undefined;
  const listed = columns.slice(0, MOST_LISTED);
  return (
    <>
      <h3>Columns</h3>
      <table class="column-choices">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Kind</th>
            <th scope="col">Values</th>
            <th scope="col" class="number">
              Missing
            </th>
          </tr>
        </thead>
        <tbody>
          {listed.map((column) => (
            <ColumnRow
              key={column.name}
              column={column}
              rows={rows}
              isDisabled={isDisabled}
              fault={column.name === faulty ? fault : undefined}
              onKind={onKind}
            />
          ))}
        </tbody>
      </table>
      {columns.length > listed.length && (
        <p class="hint">
          The first {MOST_LISTED} of {formatNumber(columns.length)} columns.
        </p>
      )}
    </>
  );
}

interface ColumnRowProps {
  readonly column: ColumnOverview;
  readonly rows: number;
  readonly isDisabled: boolean;
  /** Why the last chosen kind is not possible. */
  readonly fault: Fault | undefined;
  readonly onKind: ColumnChoicesProps["onKind"];
}

const ROLES: Readonly<Partial<Record<ColumnOverview["role"], string>>> = {
  target: "target",
  group: "group",
  time: "time",
  identifier: "identifier",
};

function ColumnRow({ column, rows, isDisabled, fault, onKind }: ColumnRowProps) {
  const { name, kind, role, missing, values, counts, warning, isLeak } = column;
  const isFixed = role === "target" || role === "group" || role === "time";
  return (
    <tr>
      <th scope="row">
        {name}
        {ROLES[role] !== undefined && <span class="role">{ROLES[role]}</span>}
        {isLeak && (
          <span class="role leak">
            <Term of="leak">leak?</Term>
          </span>
        )}
        {warning !== undefined && <span class={isLeak ? "warning" : "warning plain"}>{warning}</span>}
      </th>
      <td>
        {isFixed ? (
          <span class="fixed">{kind}</span>
        ) : (
          <select
            aria-label={`Kind of ${name}`}
            value={kind}
            disabled={isDisabled}
            onChange={({ currentTarget }) => {
              const chosen = CHOSEN_KINDS.find((each) => each === currentTarget.value);
              if (chosen) onKind(name, chosen);
            }}
          >
            {CHOSEN_KINDS.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        )}
        <FaultBox fault={fault} />
      </td>
      <td>
        <div class="spread">
          <Spark counts={counts} kind={kind} /> <span class="values">{unbroken(values)}</span>
        </div>
      </td>
      <td class={missing > 0 ? "number" : "number whole"}>
        {missing > 0 ? formatPercent(missing / rows) : "–"}
      </td>
    </tr>
  );
}
