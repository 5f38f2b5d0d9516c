import { countLevels } from "#core/table/levels.js";
import type { ColumnSchema, Schema } from "#core/table/schema.js";
import type { Table } from "#core/table/table.js";
import type { Target } from "#core/table/target.js";

/** Makes the schema of training data: every column, with the categories that occur. */
export function schemaOf(features: Table, { target, classes }: Target): Schema {
  const columns = features.columns.map((column): ColumnSchema => {
    const { kind, name } = column;
    return kind === "numeric" ? { kind, name } : { kind, name, levels: countLevels(column).levels };
  });
  return { columns, target, classes };
}
