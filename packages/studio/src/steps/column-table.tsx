import { formatNumber, formatPercent } from "vouch/predict";
import { CHOSEN_KINDS, type ChosenKind, type ColumnOverview, type DataOverview } from "../engine/protocol.js";

interface ColumnTableProps {
  readonly overview: DataOverview;
  readonly isDisabled: boolean;
  readonly onKind: (name: string, kind: ChosenKind) => void;
}

/** More columns than this are not listed: a sparse file may have a million of them. */
const MOST_LISTED = 200;

/** Lists the columns with small distributions, and lets the user change their kinds. */
export function ColumnTable({ overview: { columns, rows }, isDisabled, onKind }: ColumnTableProps) {
  const listed = columns.slice(0, MOST_LISTED);
  return (
    <>
      <h3>Columns</h3>
      <table class="columns">
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
            <ColumnRow key={column.name} column={column} rows={rows} isDisabled={isDisabled} onKind={onKind} />
          ))}
        </tbody>
      </table>
      {columns.length > listed.length && (
        <p class="hint">The first {MOST_LISTED} of {formatNumber(columns.length)} columns.</p>
      )}
    </>
  );
}

interface ColumnRowProps {
  readonly column: ColumnOverview;
  readonly rows: number;
  readonly isDisabled: boolean;
  readonly onKind: ColumnTableProps["onKind"];
}

const ROLES: Readonly<Partial<Record<ColumnOverview["role"], string>>> = {
  target: "target",
  group: "group",
  time: "time",
  identifier: "identifier",
};

function ColumnRow({ column, rows, isDisabled, onKind }: ColumnRowProps) {
  const { name, kind, role, missing, values, warning } = column;
  const isFixed = role === "target" || role === "group" || role === "time";
  return (
    <tr>
      <th scope="row">
        {name}
        {ROLES[role] !== undefined && <span class="role">{ROLES[role]}</span>}
        {warning !== undefined && <span class="warning">{warning}</span>}
      </th>
      <td>
        {isFixed ? (
          kind
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
      </td>
      <td>
        <Spark column={column} /> <span class="values">{values}</span>
      </td>
      <td class="number">{missing > 0 ? formatPercent(missing / rows) : "–"}</td>
    </tr>
  );
}

const WIDTH = 96;
const HEIGHT = 22;

/** Draws counts as small bars. */
function Spark({ column: { counts, kind } }: { readonly column: ColumnOverview }) {
  const largest = Math.max(0, ...counts);
  if (largest === 0) return null;
  const step = WIDTH / Math.max(4, counts.length);
  const gap = kind === "categorical" ? 1 : 0;
  const bars = counts.map((count, i) => {
    // Small counts stay visible.
    const height = count > 0 ? Math.max(1, (HEIGHT * count) / largest) : 0;
    return `M${(i * step).toFixed(1)} ${HEIGHT}v${(-height).toFixed(1)}h${(step - gap).toFixed(1)}V${HEIGHT}z`;
  });
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={bars.join("")} />
    </svg>
  );
}
