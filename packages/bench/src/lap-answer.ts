import { z } from "zod";
import type { Lap } from "./race.js";

const schema = z.object({ seconds: z.number(), facts: z.record(z.string(), z.number()).optional() });

/** Reads the line in which another process tells its seconds and facts. */
export function lapFromAnswer(line: string): Lap {
  const { seconds, facts } = schema.parse(JSON.parse(line));
  return { seconds, ...(facts && { facts }) };
}
