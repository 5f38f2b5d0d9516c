import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { useEffect, useState } from "preact/hooks";
import type { DataChoices, DataOverview, SplitChoice } from "../engine/protocol.js";
import { FaultBox } from "../page/fault-box.js";
import { FileDrop } from "../page/file-drop.js";
import { goTo } from "../page/route.js";
import type { Studio, UnreadFile } from "../page/studio.js";
import { ColumnChoices } from "./column-choices.js";
import { exampleData } from "./example-data.js";
import { ReadingOptions } from "./reading-options.js";
import { RowPreview } from "./row-preview.js";

const ACCEPTED =
  ".csv,.txt,.xlsx,.tsv,.tab,.json,.ndjson,.jsonl,.arff,.libsvm,.svm,.parquet,.gz,.safetensors";

/** The first step: choose a file, check its columns, choose the target and the split. */
export function DataStep({ studio }: { readonly studio: Studio }) {
  const overview = studio.overview.value;
  const unread = studio.waitingFor.value === undefined ? studio.unread.value : undefined;
  if (unread) return <Unread studio={studio} unread={unread} />;
  return (
    <section aria-labelledby="data-title">
      <h2 id="data-title">{overview ? overview.name : "Train a classifier on your own data"}</h2>
      {overview ? <Overview studio={studio} overview={overview} /> : <Choice studio={studio} />}
    </section>
  );
}

/** Lets the user describe how an unreadable file is written. */
function Unread({
  studio,
  unread: { source, reading },
}: {
  readonly studio: Studio;
  readonly unread: UnreadFile;
}) {
  const lines = useFirstLines(source.file, reading.encoding);
  return (
    <section aria-labelledby="data-title">
      <h2 id="data-title">{source.name} could not be read</h2>
      <p class="lead">If you know how it is written, say so here. Or correct the file and open it again.</p>
      <ReadingOptions
        fileName={source.name}
        reading={reading}
        isOpen
        isDisabled={false}
        onChange={(changed) => void studio.openAs(source, changed)}
      />
      {lines.length > 0 && (
        <>
          <h3>First lines</h3>
          <pre class="first-lines">{lines.join("\n")}</pre>
        </>
      )}
      <FileDrop
        label="Drop another file here"
        hint={FORMATS_READ}
        accept={ACCEPTED}
        onFile={(file) => void studio.open(file)}
      />
      <p class="actions">
        <button type="button" onClick={() => studio.dismissUnread()}>
          {studio.overview.value ? `Back to ${studio.overview.value.name}` : "Back"}
        </button>
      </p>
    </section>
  );
}

/** Maximum number of lines and bytes to show of an unreadable file. */
const MOST_LINES = 8;
const SHOWN_BYTES = 4096;

/** Returns the first lines of a text; none for binary data. */
function useFirstLines(file: Blob, encoding = "utf-8"): readonly string[] {
  const [lines, setLines] = useState<readonly string[]>([]);
  useEffect(() => {
    let isGone = false;
    void file
      .slice(0, SHOWN_BYTES)
      .arrayBuffer()
      .then((bytes) => {
        if (!isGone) setLines(firstLines(bytes, encoding));
      })
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [file, encoding]);
  return lines;
}

function firstLines(bytes: ArrayBuffer, encoding: string): readonly string[] {
  const text = new TextDecoder(encoding).decode(bytes);
  return text.includes("\0") ? [] : text.split(/\r?\n/).slice(0, MOST_LINES);
}

const FORMATS_READ =
  "CSV, TSV, Excel (.xlsx), JSON, NDJSON, Parquet, ARFF or LIBSVM, also gzipped. Or a model file, to use it.";

function Choice({ studio }: { readonly studio: Studio }) {
  return (
    <>
      <p class="lead">
        Drop a table, watch learners race, and get a model with an honest estimate of its error. All of it
        happens in this page: nothing is uploaded.
      </p>
      <FileDrop
        label="Drop a data file here"
        hint={FORMATS_READ}
        accept={ACCEPTED}
        onFile={(file) => void studio.open(file)}
      />
      <h3>Or start with an example</h3>
      <ul class="cards">
        {exampleData.map(({ name, title, about }) => (
          <li key={name}>
            <button type="button" onClick={() => void studio.openExample(name)}>
              <strong>{title}</strong> <span>{about}</span>
            </button>
          </li>
        ))}
        <li>
          <a href="#playground">
            <strong>Playground</strong>{" "}
            <span>No data yet? Draw points, and watch how each learner decides.</span>
          </a>
        </li>
      </ul>
    </>
  );
}

function Overview({ studio, overview }: { readonly studio: Studio; readonly overview: DataOverview }) {
  const choices = studio.choices.value;
  const source = studio.source.value;
  const change = (changed: Partial<DataChoices>) => void studio.choose({ ...choices, ...changed });
  const isTraining = studio.training.value !== undefined;
  const isWaiting = isTraining || studio.waitingFor.value !== undefined;
  const example = exampleData.find(({ name }) => name === source?.example);
  return (
    <>
      {example && <p class="story">{example.story}</p>}
      <p class="lead">
        {formatCount(overview.rows, "row")}, {formatCount(overview.columns.length, "column")}
      </p>
      {isTraining && <p class="hint">You can change these choices when the training has ended.</p>}
      <fieldset class="choices" disabled={isWaiting}>
        <legend class="unseen">What to predict, and how to test</legend>
        <label>
          Predict
          <select
            value={overview.target}
            onChange={({ currentTarget }) => change({ target: currentTarget.value })}
          >
            {overview.columns.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          {overview.guessedBy && (
            <span class="hint">
              Guessed {overview.guessedBy === "name" ? "by its name" : "as the last column"}: change it if it
              is wrong.
            </span>
          )}
        </label>
        {overview.hasSimilarClasses && (
          <label class="check">
            <input
              type="checkbox"
              checked={choices.mergeClasses ?? false}
              onChange={({ currentTarget }) => change({ mergeClasses: currentTarget.checked })}
            />
            Merge classes that differ only in case, spaces or a typo
          </label>
        )}
        <SplitFields overview={overview} split={choices.split} onChange={(split) => change({ split })} />
      </fieldset>
      <FaultBox fault={overview.fault} />
      <Classes classes={overview.classes} rows={overview.rows} />
      <LeakNote columns={overview.columns} />
      {overview.notices.length > 0 && (
        <ul class="notes" aria-label="Notes on the columns">
          {overview.notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {source && (
        <ReadingOptions
          fileName={source.name}
          reading={choices.reading ?? {}}
          isOpen={false}
          isDisabled={isWaiting}
          onChange={(reading) => void studio.openAs(source, reading)}
        />
      )}
      <RowPreview overview={overview} />
      <p class="actions">
        <button
          type="button"
          class="main"
          disabled={overview.fault !== undefined || studio.waitingFor.value !== undefined}
          onClick={() => goTo("train")}
        >
          Next: train
        </button>
        <button type="button" onClick={() => void studio.forget()}>
          Start over
        </button>
      </p>
      <ColumnChoices
        overview={overview}
        isDisabled={isWaiting}
        fault={studio.fault.value}
        onKind={(name, kind) => void studio.chooseKind(name, kind)}
      />
    </>
  );
}

/** Says before the button what is a reason not to press it; the columns themselves are listed below. */
function LeakNote({ columns }: Pick<DataOverview, "columns">) {
  const names = columns.filter(({ isLeak }) => isLeak).map(({ name }) => `“${name}”`);
  if (names.length === 0) return null;
  return (
    <p class="leak-note">
      May already contain the answer: {names.join(", ")}. Look at the column list below before you train.
    </p>
  );
}

function Classes({ classes, rows }: Pick<DataOverview, "classes" | "rows">) {
  if (classes.length === 0) return null;
  const most = classes.slice(0, 12);
  return (
    <ul class="classes" aria-label="Classes">
      {most.map(({ name, rows: own }) => (
        <li key={name}>
          <span>{visibleSpaces(name)}</span>
          <i aria-hidden="true">
            <u style={{ width: `${(100 * own) / rows}%` }} />
          </i>
          <b>{formatNumber(own)}</b>
        </li>
      ))}
      {classes.length > most.length && (
        <li class="more">and {formatNumber(classes.length - most.length)} more classes</li>
      )}
    </ul>
  );
}

interface SplitProps {
  readonly overview: DataOverview;
  readonly split: SplitChoice;
  readonly onChange: (split: SplitChoice) => void;
}

const SPLITS = [
  { by: "random", title: "rows drawn at random" },
  { by: "group", title: "whole groups" },
  { by: "time", title: "the latest rows" },
] as const;

/** Lets the user choose the test rows. */
function SplitFields({ overview, split, onChange }: SplitProps) {
  const others = overview.columns.filter(({ role }) => role !== "target");
  const [first] = others;
  const column = split.by === "random" ? undefined : split.column;
  const changeTo = (by: string, named = column ?? first?.name) => {
    if (by === "random" || named === undefined) onChange({ by: "random" });
    else onChange({ by: by === "group" ? "group" : "time", column: named });
  };
  return (
    <>
      <label>
        Test on
        <select value={split.by} onChange={({ currentTarget }) => changeTo(currentTarget.value)}>
          {SPLITS.map(({ by, title }) => (
            <option key={by} value={by}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {column !== undefined && (
        <label>
          {split.by === "group" ? "Groups are in" : "Times are in"}
          <select value={column} onChange={({ currentTarget }) => changeTo(split.by, currentTarget.value)}>
            {others.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}
