import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { Name, Sentences } from "../text/name.js";
import { classNames } from "../text/text.js";
import { ScrollRegion } from "./scroll-region.js";

/** A named fact. */
export interface LabelledValue {
  readonly label: string;
  readonly value: string;
}

/** Facts up to this length fit side by side. */
const FEW_LETTERS = 30;

/** Lists facts, short ones in two columns if there is room. */
export function FactList({ facts }: { readonly facts: readonly LabelledValue[] }) {
  const short = facts.every(({ value }) => value.length <= FEW_LETTERS);
  return (
    <dl class={classNames("facts", short && "short")}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Sentences text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text, or a formatted number with an optional bar that fills this share of its column. */
export type TableCell = string | { readonly shown: string; readonly share?: number };

interface NumberedTableProps {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Total number of items, if only some are given. */
  readonly total?: number;
}

/** Maximum length of a text in a cell. */
const MOST_CELL_LETTERS = 120;

/** Lists items in a table with numbered rows. */
export function NumberedTable({ label, headings, rows, total = rows.length }: NumberedTableProps) {
  return (
    <>
      <ScrollRegion label={label}>
        <table class="parts-of-model">
          <thead>
            <tr>
              <th scope="col" class="number">
                <span class="unseen">Number</span>
              </th>
              {headings.map((text, c) => (
                <th key={text} scope="col" class={classNames(typeof rows[0]?.[c] === "object" && "number")}>
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, i) => (
              <tr key={i}>
                <th scope="row" class="number">
                  {i + 1}
                </th>
                {cells.map((content, c) => (
                  <Cell key={c} content={content} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {total > rows.length && (
        <p class="note">
          The first {formatNumber(rows.length)} of {formatNumber(total)}.
        </p>
      )}
    </>
  );
}

function Cell({ content }: { readonly content: TableCell }) {
  if (typeof content === "string") {
    return (
      <td>
        <Name text={content} most={MOST_CELL_LETTERS} />
      </td>
    );
  }
  const { shown, share } = content;
  return (
    <td class="number">
      {shown}
      {share !== undefined && (
        <i class="cell-bar" aria-hidden="true">
          <u style={`--length:${Number((100 * share).toFixed(1))}%`} />
        </i>
      )}
    </td>
  );
}

interface TableHeadProps {
  /** Heading of the first column, which names the rows. */
  readonly first: string;
  /** Headings of the numeric columns. */
  readonly numbers: readonly string[];
}

/** Writes the head of a table of named rows with numbers. */
export function TableHead({ first, numbers }: TableHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {numbers.map((heading) => (
          <th key={heading} scope="col" class="number">
            {heading}
          </th>
        ))}
      </tr>
    </thead>
  );
}
