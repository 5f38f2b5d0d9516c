import { z } from "zod";
import type { Json } from "../runtime/state.js";
import { countLevels } from "./levels.js";
import type { Table } from "./table.js";
import type { Target } from "./target.js";

/** What a model remembers of one raw column. */
export type ColumnSchema =
  | { readonly kind: "numeric"; readonly name: string }
  | { readonly kind: "categorical"; readonly name: string; readonly levels: readonly string[] };

/** The raw columns that a model takes, and the column that it predicts. */
export interface Schema {
  /** Feature columns that it uses, in the order of training. */
  readonly columns: readonly ColumnSchema[];
  /** Name of the column that holds the class. */
  readonly target: string;
  /** The classes, in the order of class indices. */
  readonly classes: readonly string[];
}

/** The schema of training data: every column, with the categories that occur, in natural order. */
export function schemaOf(features: Table, { target, classes }: Target): Schema {
  const columns = features.columns.map((column): ColumnSchema => {
    const { kind, name } = column;
    return kind === "numeric" ? { kind, name } : { kind, name, levels: countLevels(column).levels };
  });
  return { columns, target, classes };
}

/** The schema as plain JSON. */
export function schemaToJson({ columns, target, classes }: Schema): Json {
  return {
    columns: columns.map(
      (column): Json =>
        column.kind === "numeric"
          ? { kind: column.kind, name: column.name }
          : { kind: column.kind, name: column.name, levels: column.levels },
    ),
    target,
    classes,
  };
}

const distinct = (names: readonly string[]): boolean => new Set(names).size === names.length;

const distinctNames = z.array(z.string()).refine(distinct, "names repeat");

/** Checks the schema in a model file. */
export const schemaShape = z.strictObject({
  columns: z
    .array(
      z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("numeric"), name: z.string() }),
        z.strictObject({ kind: z.literal("categorical"), name: z.string(), levels: distinctNames }),
      ]),
    )
    .min(1)
    .refine((columns) => distinct(columns.map((column) => column.name)), "columns repeat"),
  target: z.string(),
  classes: distinctNames.min(1),
});
