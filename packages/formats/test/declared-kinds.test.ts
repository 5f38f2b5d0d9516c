import { readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { Table } from "vouch";
import { readTable as readData } from "#formats/read-table.browser.js";
import { parquetBytes } from "./parquet-bytes.js";

const bytes = (text: string) => Buffer.from(text);

describe("declared kinds", () => {
  test("dates, prose and categories are marked, whatever the cells look like", async () => {
    const csv = bytes("day,note,code\n20240131,1,7\n20240229,2,8\n");
    const table = await readTable(csv, {
      format: "csv",
      date: ["day"],
      text: ["note"],
      categorical: ["code"],
    });
    expect(table.columns).toMatchObject([
      { kind: "categorical", holds: { kind: "dates", form: "compact" } },
      { kind: "categorical", holds: { kind: "text" } },
      { kind: "categorical", holds: { kind: "categories" } },
    ]);
  });

  test("they are read from JSON and in a browser alike", async () => {
    const json = '[{"at":"31.01.2024","n":1},{"at":null,"n":2}]';
    for (const read of [
      readTable(bytes(json), { format: "json", date: ["at"] }),
      readData(new Blob([json]), { format: "json", date: ["at"] }),
    ]) {
      expect((await read).column("at")).toMatchObject({ holds: { kind: "dates", form: "day-first" } });
    }
  });

  test("dates and timestamps of Parquet are dates, with and without time zones", async () => {
    const table = await readTable(
      await parquetBytes(`SELECT DATE '2024-02-29' AS d, TIMESTAMP '1969-12-31 23:59:59.5' AS t,
        TIMESTAMPTZ '2024-03-01 12:00:00+02' AS z UNION ALL SELECT NULL, NULL, NULL`),
      { name: "t.parquet" },
    );
    const { columns } = table.withContents();
    for (const column of columns) expect(column).toMatchObject({ holds: { kind: "dates", form: "iso" } });
    expect(columns.map((column) => column.kind === "categorical" && column.levels[0]).slice(0, 2)).toEqual([
      "2024-02-29",
      "1969-12-31 23:59:59.5",
    ]);
  });

  test("Date objects of records are dates", () => {
    const table = Table.fromRecords("r", [{ at: new Date(0) }, { at: new Date(1) }]).withContents();
    expect(table.column("at")).toMatchObject({ holds: { kind: "dates", form: "iso" } });
  });

  test("errors name the column, row and text, and contradictions", async () => {
    const errorOf = (text: string, options: Parameters<typeof readTable>[1]) =>
      readTable(bytes(text), { format: "csv", name: "t.csv", ...options }).catch((error) => error);
    expect(await errorOf("a,b\n2024-01-01,x\nno,y\n", { date: ["b"] })).toMatchObject({
      code: "data/wrong-kind",
      message: 't.csv, row 1, column "b": "x" is not a date.',
    });
    expect(await errorOf("a,b\n1,x\n", { text: ["c"] })).toMatchObject({ code: "data/missing-column" });
    expect(await errorOf("a,b\n1,x\n", { text: ["a"], date: ["a"] })).toMatchObject({
      code: "option/invalid",
      message: 'Column "a" cannot be both a date and text.',
    });
    expect(await errorOf("a,b\n1,x\n", { target: "a", date: ["a"] })).toMatchObject({
      message: 'Column "a" is the target: it cannot be a date.',
    });
  });
});
