import { describe, expect, it } from "vitest";
import { deserialise, labelled, majority, serialise, Table, trainClassifier } from "vouch";
import { defaultMeasuring, prepareTable } from "#core/train/prepare-table.js";
import { fault } from "../fault.js";

const ROWS = 60;
const cells = <T>(value: (i: number) => T) => Array.from({ length: ROWS }, (_, i) => value(i));
const size = Float64Array.from({ length: ROWS }, (_, i) => i % 7);
const id = Float64Array.from({ length: ROWS }, (_, i) => i + 1);

/** Prepares a table with these classes in turn, and lists what it says about them. */
const withClasses = (...classes: string[]) =>
  prepareTable(
    Table.fromColumns("t", { size, y: cells((i) => classes[i % classes.length]) }),
  ).table.notices.map(({ message }) => message);

/** What the table says about itself. */
const notices = (prepared: ReturnType<typeof prepareTable>) =>
  prepared.table.notices.map(({ message }) => message);

/** Makes a table of one number and a target with each value as often as is given. */
const counted = (counts: Readonly<Record<string, number>>) => {
  const y = Object.entries(counts).flatMap(([value, rows]) => new Array<string>(rows).fill(value));
  return Table.fromColumns("t", { size: y.map((_, i) => (i * 7) % 5), y });
};

describe("prepareTable", () => {
  it("warns about classes that look like one", () => {
    const notice = (named: string) => [
      `Classes that may be the same: ${named}. They are different classes unless you add --merge-classes.`,
    ];
    expect(withClasses("no", "yes", "Yes")).toEqual(notice('"Yes" (20) and "yes" (20)'));
    expect(withClasses("x", "x ", " x", "z")).toEqual(notice('"␣x" (15), "x" (15) and "x␣" (15)'));
    expect(withClasses("new york", "new  york", "z")).toEqual(notice('"new␣␣york" (20) and "new york" (20)'));
    expect(withClasses("caf\u00e9", "cafe\u0301", "z")).toEqual(
      notice('"cafe\u0301" (20) and "caf\u00e9" (20)'),
    );
    const many = cells((i) => `${i % 2 ? "class" : "Class"} ${Math.floor(i / 2) % 5}`);
    expect(withClasses(...many)[0]).toContain('"Class 2" (6) and "class 2" (6); and 2 more.');
    expect(withClasses("a", "A", "b", "B")).toEqual([]);
    expect(withClasses("1", "1.0", "2")).toEqual(notice('"1" (20) and "1.0" (20)'));
    expect(withClasses("ja", "nein", "1", "10", "-1", "1.1", "1.10", "01")).toEqual([]);
  });

  it.each([
    [{ Yes: 100, No: 80, Yess: 2, Noo: 3 }, ["Yess", "Noo"]],
    [{ malignant: 200, benign: 200, malginant: 1, bening: 1, begin: 2 }, ["bening", "malginant"]],
    [{ class1: 100, class2: 3 }, []],
    [{ typical: 200, atypical: 5 }, []],
    [{ Mr: 200, Mrs: 5 }, []],
    [{ setosa: 30, setosaa: 2 }, []],
  ])("takes rare classes of one other letter for typos: %j", (counts, typos) => {
    const found = prepareTable(counted(counts)).similarClasses;
    expect(found.flatMap(({ spellings }) => spellings.slice(1).map(({ name }) => name))).toEqual(typos);
  });

  it("names dates that do not exist, not a day that could be a month", () => {
    const doubts = (day: (i: number) => string) =>
      prepareTable(Table.fromColumns("t", { size, day: cells(day), y: cells((i) => `class ${i % 2}`) })).table
        .notices;
    const doubtful = { columns: ["day"], isDoubtful: true };
    expect(doubts((i) => `2023-02-${20 + (i % 11)}`)).toEqual([
      {
        message:
          'Column "day" contains dates that do not exist, such as 2023-02-29, and is read as categories. Correct them to use the column as dates.',
        ...doubtful,
      },
    ]);
    expect(doubts((i) => `0${1 + (i % 3)}/0${1 + (i % 4)}/2024`)).toEqual([
      {
        message: expect.stringContaining("the month: pass --date-order day-first or month-first"),
        ...doubtful,
      },
    ]);
    expect(doubts((i) => (i % 2 ? "13/02/2024" : "02/13/2024"))).toEqual([
      { message: expect.stringContaining("the month: write them as 2024-03-31"), ...doubtful },
    ]);
  });

  it("reads dates that do not show their order by the given one", () => {
    const day = cells((i) => `0${1 + (i % 3)}/0${1 + (i % 4)}/2024`);
    const { table } = prepareTable(Table.fromColumns("t", { size, day, y: cells((i) => `class ${i % 2}`) }), {
      dateOrder: "month-first",
    });
    expect(table.column("day")).toMatchObject({ holds: { kind: "dates", form: "month-first" } });
    expect(table.notices).toEqual([]);
  });

  it("puts a doubtful header and doubtful dates into the verdict, and each notice on the card once", async () => {
    const y = cells((i) => (i % 2 ? "yes" : "no"));
    const day = cells((i) => `0${1 + (i % 3)}/0${1 + (i % 4)}/2024`);
    const { table, target } = prepareTable(Table.fromColumns("t", { id, size, day, yes: y }));
    const { verdict, classifier } = await trainClassifier(table, majority(), { target, holdout: 0.5 });
    const warned = verdict?.warnings.filter(({ code }) => code === "doubtful-reading");
    expect(warned?.map(({ message }) => message)).toEqual([
      expect.stringContaining("add --no-header"),
      expect.stringContaining("which number is the month"),
    ]);
    expect(classifier.card.notices.filter((notice) => notice.includes('"id"'))).toHaveLength(1);
  });

  it("merges classes if asked to, and a model counts the spellings as its classes", async () => {
    const read = counted({ Yes: 60, No: 60, "yes ": 20, NO: 4, Noo: 3 });
    const { table, target } = prepareTable(read, { mergeClasses: true });
    expect(table.notices).toEqual([
      { message: 'Classes merged: "yes␣" (20) into "Yes"; "NO" (4) and "Noo" (3) into "No".' },
    ]);
    const { classifier } = await trainClassifier(table, majority(), { target });
    expect(classifier.classes).toEqual(["No", "Yes"]);
    const restored = await deserialise(await serialise(classifier));
    const rows = Table.fromColumns("new", {
      size: [1, 1, 1, 1, 1],
      y: ["YES", " yes", "noo", "No", "Noooo"],
    });
    const unknown: string[] = [];
    const { error } = restored.evaluate(rows, (notice) => unknown.push(notice));
    expect(unknown).toEqual([
      '1 row of 1 class that the model does not know, such as "Noooo", counted as errors.',
    ]);
    expect(error).toBeCloseTo(3 / 5);
  });

  it("warns about whole numbers that look like a quantity, and not about codes", () => {
    const doubts = (read: Table) => prepareTable(read).table.notices.map(({ message }) => message);
    const ages = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [
        String(20 + i),
        Math.round(30 * Math.exp(-(((i - 20) / 12) ** 2))) + 1,
      ]),
    );
    expect(doubts(counted(ages))).toEqual([
      expect.stringContaining("50 whole numbers, with near ones about equally"),
    ]);
    expect(doubts(counted(ages).withKinds({ y: "categorical" }))).toEqual([]);
    const codes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [String(i), 5 + ((i * 17) % 31)]));
    expect(doubts(counted(codes))).toEqual([]);
    const amounts = Object.fromEntries(
      Array.from({ length: 80 }, (_, i) => [String(i * i * 10), i % 3 ? 1 : 9]),
    );
    const error = fault(() => labelled(counted(amounts), "y"));
    expect(error.code).toBe("data/not-classes");
    expect(error.message).toContain("80 whole numbers with wide gaps");
    expect(error.hint).toContain("--categorical y");
  });

  it("drops identifiers, unless there is nothing else", () => {
    const y = cells((i) => (i % 2 ? "a" : "b"));
    const both = prepareTable(Table.fromColumns("t", { id, size, y }));
    expect(both.identifiers).toEqual(["id"]);
    expect(both.table.columns.map(({ name }) => name)).toEqual(["size", "y"]);
    expect(notices(both)[0]).toMatch(/^1 identifier column dropped, .*: "id"\. Keep a column with --numeric/);
    const alone = prepareTable(Table.fromColumns("t", { id, y }));
    expect(alone.identifiers).toEqual([]);
    expect(notices(alone)).toEqual([
      'There is nothing to learn from but 1 identifier column, with a different value in every row: "id". Such a model says nothing about new rows.',
    ]);
    expect(notices(prepareTable(Table.fromColumns("t", { id, y }), { numeric: ["id"] }))).toEqual([]);
  });

  it("measures few rows in folds, with whole groups, unless something needs held-out rows", async () => {
    const few = Array.from({ length: 20 }, (_, i) => i);
    const columns = {
      size: few.map((i) => (i * 7) % 11),
      visit: few.map((i) => i),
      patient: few.map((i) => `p${i % 4}`),
      y: few.map((i) => (i % 2 ? "a" : "b")),
    };
    const table = Table.fromColumns("t", columns);
    const measured = (needs: Parameters<typeof defaultMeasuring>[1]) =>
      defaultMeasuring({ table, target: "y" }, needs);
    expect(measured({})).toEqual({ folds: 10 });
    expect(measured({ group: "patient" })).toEqual({ folds: 4 });
    for (const needs of [{ time: "visit" }, { abstain: 0.1 }, { sets: 0.9 }, { unlabelled: "u.csv" }]) {
      expect(measured(needs)).toEqual({ holdout: 0.2 });
    }
    const { verdict } = await trainClassifier(table, majority(), { target: "y", holdout: 0.2, sets: 0.9 });
    const advice = verdict?.warnings.filter(({ message }) => message.includes("--folds"));
    expect(advice?.map(({ message }) => message)).toEqual([
      "Only 4 of 20 rows are held out. Cross-validation with --folds tests more of them, without --abstain, --sets and --unlabelled, which need held-out rows.",
    ]);
    const larger = Table.fromColumns("t", { size, y: cells((i) => (i % 3 ? "a" : "b")) });
    const separate = await trainClassifier(table.without(["visit", "patient"]), majority(), {
      target: "y",
      test: larger,
    });
    expect(JSON.stringify(separate.verdict)).not.toContain("--folds");
  });

  it("sets ignored columns aside", () => {
    const y = cells((i) => (i % 2 ? "a" : "b"));
    const patient = cells((i) => `p${i % 6}`);
    const read = Table.fromColumns("t", { patient, size, y });
    const { aside, table, whole } = prepareTable(read, { ignore: ["patient", "gone"] });
    expect(aside?.columns).toEqual([read.column("patient")]);
    for (const left of [table, whole]) expect(left.columns.map(({ name }) => name)).toEqual(["size", "y"]);
    expect(prepareTable(read, { ignore: ["gone"] }).aside).toBeUndefined();
  });
});
