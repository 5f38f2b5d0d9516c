import { z } from "zod";

/** The baseline has nothing to choose. */
export const majorityOptions = z.object({});
