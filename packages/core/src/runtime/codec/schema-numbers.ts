import * as z from "zod";

/**
 * Ranges of the numbers in model files. A file is not trusted: a number without a range could ask for a loop or an allocation
 * that has nothing to do with the size of the file. So each number has one, no wider than what training can produce, and
 * `checkRanges` refuses schemas with a number that has none.
 */

/** The most rows, features, classes or nodes that can be numbered: indices are 32-bit integers. */
export const MOST_COUNTED = 2 ** 31 - 1;

/** A count of things in memory, such as rows. */
export const nonNegativeInteger = z.int().min(0).max(MOST_COUNTED);

/** A number of things of which there is at least one. */
export const positiveInteger = z.int().min(1).max(MOST_COUNTED);

/** A fraction of a whole, such as an error rate. */
export const proportion = z.number().min(0).max(1);

/** A sum of squares, a norm or a loss: as large as the data make it. It is computed with, but nothing is repeated that often. */
export const nonNegativeNumber = z.number().min(0).max(Number.MAX_VALUE);

/**
 * A cell of the data, or a combination of cells such as a threshold or a bias. It is computed with, but nothing is repeated
 * that often.
 */
export const realNumber = z.number().min(-Number.MAX_VALUE).max(Number.MAX_VALUE);

/** Schemas in which every number has a range. */
const checkedSchemas = new WeakSet<z.core.$ZodType>();

/** Throws a TypeError if a number in the schema of a part has no range: a mistake in the definition, not in a file. */
export function checkRanges(schema: z.core.$ZodType): void {
  const path = pathWithoutRange(schema);
  if (path === undefined) return;
  const which = path.length > 0 ? `the number "${path.join(".")}"` : "the number";
  throw new TypeError(
    `A number in a model file needs a range, but ${which} has no minimum or no maximum: write z.number().min(…).max(…).`,
  );
}

/** Finds a number without a range and returns the path to it; undefined if there is none. */
function pathWithoutRange(schema: z.core.$ZodType): string[] | undefined {
  if (checkedSchemas.has(schema)) return undefined;
  if (schema instanceof z.ZodNumber) {
    if (!isEnd(schema.minValue) || !isEnd(schema.maxValue)) return [];
  }
  for (const [name, inner] of innerSchemas(schema)) {
    const path = pathWithoutRange(inner);
    if (path) return name === "" ? path : [name, ...path];
  }
  checkedSchemas.add(schema);
  return undefined;
}

/** Returns whether this is an end of a range: integers without one end at the largest safe integer. */
function isEnd(value: number | null): boolean {
  return value !== null && Number.isFinite(value) && Math.abs(value) !== Number.MAX_SAFE_INTEGER;
}

/** Schemas without numbers; `z.json()` and `z.custom()` are for what no computation reads, or what another schema checks. */
const LEAVES = [
  z.ZodNumber,
  z.ZodString,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodNull,
  z.ZodLazy,
  z.ZodCustom,
];

/** Lists the schemas that a schema consists of, by name. */
function innerSchemas(schema: z.core.$ZodType): [string, z.core.$ZodType][] {
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape);
  if (schema instanceof z.ZodArray) return [["*", schema.element]];
  if (schema instanceof z.ZodRecord) return [["*", schema.valueType]];
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => ["", option]);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly
  ) {
    return [["", schema.unwrap()]];
  }
  if (LEAVES.some((leaf) => schema instanceof leaf)) return [];
  throw new TypeError(`Parts of model files have no schema of type ${schema._zod.def.type}.`);
}
