import type { Confusion } from "@vouch/core/internal/metrics/evaluation";
import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { type ConfusedPair, describeConfusion, mostConfused } from "../../facts/evaluation/confused-pairs.js";
import { useIsClient } from "../../page/client-only.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { Name } from "../../text/name.js";
import { Term } from "../../text/term.js";
import { classNames, unbroken } from "../../text/text.js";
import { ConfusionHeatMap } from "./confusion-heat-map.js";

/** A cell of the matrix, by the indices of the classes. */
export interface ConfusionCell {
  readonly trueClass: number;
  readonly predicted: number;
}

interface ConfusionTableProps {
  readonly confusion: Confusion;
  /** A note about the rows that were counted. */
  readonly note?: string | undefined;
  /** The cell whose rows are shown elsewhere. */
  readonly picked?: ConfusionCell | undefined;
  /** Called when someone asks for the misclassified rows of a cell; without it, cells are not buttons. */
  readonly onPick?: ((cell: ConfusionCell) => void) | undefined;
}

/** Up to this many classes fit on a phone. */
const FEW_CLASSES = 6;
/** Maximum length of a class name in the head of a narrow column; longer names run upwards. */
const SHORT_NAME = 2;
/** A larger matrix shows shades and the largest errors instead of numbers. */
const MOST_CLASSES_NUMBERED = 30;

/**
 * Describes the most confused classes and shows the confusion matrix, with numbers if they are readable, otherwise in
 * shades. With many classes, it also lists the most confused pairs.
 */
export function ConfusionTable({ confusion, note, picked, onPick }: ConfusionTableProps) {
  // Without a script, a button would do nothing.
  const isClient = useIsClient();
  const count = confusion.classes.length;
  if (count === 0) return null;
  const picking = { picked, onPick: isClient ? onPick : undefined };
  return (
    <>
      <p>
        {unbroken(describeConfusion(confusion))} {note}
      </p>
      {count <= FEW_CLASSES ? (
        <FullMatrix confusion={confusion} {...picking} />
      ) : (
        <>
          {count <= MOST_CLASSES_NUMBERED && (
            <div class="wide">
              <FullMatrix confusion={confusion} {...picking} />
            </div>
          )}
          <HeatMaps confusion={confusion} isAlways={count > MOST_CLASSES_NUMBERED} />
          <PairTable confusion={confusion} {...picking} isFolded={count <= MOST_CLASSES_NUMBERED} />
        </>
      )}
    </>
  );
}

const SHADES_NOTE =
  "Blue is right, orange wrong. The stronger the colour, the larger the share of the true class.";

interface HeatMapsProps {
  readonly confusion: Confusion;
  /** Whether wide pages show shades, too. */
  readonly isAlways: boolean;
}

function HeatMaps({ confusion, isAlways }: HeatMapsProps) {
  return (
    <figure class={classNames(!isAlways && "narrow")}>
      {isAlways && (
        <div class="wide">
          <ConfusionHeatMap confusion={confusion} width="wide" />
        </div>
      )}
      <div class={classNames(isAlways && "narrow")}>
        <ConfusionHeatMap confusion={confusion} width="narrow" />
      </div>
      <figcaption>{SHADES_NOTE}</figcaption>
    </figure>
  );
}

function FullMatrix(props: ConfusionTableProps) {
  const { classes } = props.confusion;
  const size = classes.length <= 8 ? "small" : classes.length <= 16 ? "medium" : "large";
  const isLong = size !== "small" && classes.some(({ length }) => length > SHORT_NAME);
  return (
    <>
      <ScrollRegion label="Confusion matrix" isBroad={size === "large"}>
        <table class={classNames("confusion", size, isLong && "upright")}>
          <thead>
            <tr>
              <td />
              <th scope="colgroup" colSpan={classes.length}>
                Predicted class
              </th>
              <td />
            </tr>
            <tr>
              <th scope="col">True class</th>
              {classes.map((name) => (
                <th key={name} scope="col" title={name}>
                  <span>{visibleSpaces(name)}</span>
                </th>
              ))}
              <th scope="col">
                <Term of="recall">Recall</Term>
              </th>
            </tr>
          </thead>
          <tbody>
            {classes.map((name, trueClass) => (
              <MatrixRow key={name} {...props} trueClass={trueClass} />
            ))}
            {size === "small" && <PrecisionRow {...props.confusion} />}
          </tbody>
        </table>
      </ScrollRegion>
      <p class="note">{SHADES_NOTE}</p>
    </>
  );
}

function MatrixRow({
  confusion: { classes, matrix },
  trueClass,
  ...picking
}: ConfusionTableProps & { readonly trueClass: number }) {
  const row = matrix[trueClass];
  const rows = row.reduce((sum, count) => sum + count, 0);
  const name = classes[trueClass];
  return (
    <tr>
      <th scope="row" title={name}>
        <span>{visibleSpaces(name)}</span>
      </th>
      {classes.map((other, predicted) => {
        const count = row[predicted];
        if (count === 0) {
          // Leave out zeros, which would hide the other numbers.
          return (
            <td key={other} class="none">
              {classes.length > FEW_CLASSES ? "·" : "0"}
            </td>
          );
        }
        const kind = predicted === trueClass ? "right" : "wrong";
        // The square root keeps rare errors visible next to the diagonal.
        const shade = Math.round(100 * Math.sqrt(count / rows));
        return (
          <td key={other} class={kind} style={`--shade:${shade}`}>
            {predicted === trueClass ? (
              formatNumber(count)
            ) : (
              <CellCount {...picking} cell={{ trueClass, predicted }} count={count} names={[name, other]} />
            )}
          </td>
        );
      })}
      <td class="recall">{rows > 0 ? formatPercent(row[trueClass] / rows) : "no rows"}</td>
    </tr>
  );
}

interface CellCountProps extends Pick<ConfusionTableProps, "picked" | "onPick"> {
  readonly cell: ConfusionCell;
  readonly count: number;
  readonly names: readonly [trueClass: string, predicted: string];
}

/** Shows the count of a cell, as a button if its rows can be shown. */
function CellCount({ cell, count, names: [trueClass, predicted], picked, onPick }: CellCountProps) {
  if (!onPick) return <>{formatNumber(count)}</>;
  const isPicked = picked?.trueClass === cell.trueClass && picked.predicted === cell.predicted;
  const words = `${formatNumber(count)} of “${visibleSpaces(trueClass)}” predicted as “${visibleSpaces(predicted)}”: show rows`;
  return (
    <button
      type="button"
      class="cell"
      aria-pressed={isPicked}
      aria-label={words}
      onClick={() => onPick(cell)}
    >
      {formatNumber(count)}
    </button>
  );
}

/** Writes the precision of each class below its column. */
function PrecisionRow({ classes, matrix }: Confusion) {
  return (
    <tr class="precision">
      <th scope="row">
        <Term of="precision">Precision</Term>
      </th>
      {classes.map((name, k) => {
        const predicted = matrix.reduce((sum, row) => sum + row[k], 0);
        return (
          <td key={name} class="recall">
            {predicted > 0 ? formatPercent(matrix[k][k] / predicted) : "–"}
          </td>
        );
      })}
      <td />
    </tr>
  );
}

/** Maximum number of confused pairs to list. */
const MOST_PAIRS = 10;
/** Maximum length of a class name next to numbers; the tooltip shows the full name. */
const MOST_LETTERS = 40;

interface PairTableProps extends ConfusionTableProps {
  /** Whether the matrix shows the same numbers. */
  readonly isFolded: boolean;
}

function PairTable({ confusion, isFolded, ...picking }: PairTableProps) {
  const pairs = mostConfused(confusion);
  if (pairs.length === 0) return null;
  const shown = pairs.slice(0, MOST_PAIRS);
  const table = (
    <>
      <ScrollRegion label="Most confused classes">
        <table class="names">
          <thead>
            <tr>
              <th scope="col">True class</th>
              <th scope="col">Predicted as</th>
              <th scope="col" class="number">
                Rows
              </th>
              <th scope="col" class="number">
                Share of class
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((pair) => (
              <PairRow key={`${pair.trueClass} ${pair.predicted}`} {...confusion} pair={pair} {...picking} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {shown.length < pairs.length && (
        <p class="note">
          The {shown.length} most frequent of {formatNumber(pairs.length)} confusions.
        </p>
      )}
    </>
  );
  if (!isFolded) return table;
  return (
    <details>
      <summary>Most confused classes</summary>
      {table}
    </details>
  );
}

interface PairRowProps extends Confusion, Pick<ConfusionTableProps, "picked" | "onPick"> {
  readonly pair: ConfusedPair;
}

function PairRow({ classes, pair, picked, onPick }: PairRowProps) {
  const { rows, share, ...cell } = pair;
  const names = [classes[cell.trueClass], classes[cell.predicted]] as const;
  return (
    <tr>
      {names.map((name) => (
        <td key={name} title={name}>
          <Name text={name} most={MOST_LETTERS} />
        </td>
      ))}
      <td class="number">
        <CellCount cell={cell} count={rows} names={names} picked={picked} onPick={onPick} />
      </td>
      <td class="number">{formatPercent(share)}</td>
    </tr>
  );
}
