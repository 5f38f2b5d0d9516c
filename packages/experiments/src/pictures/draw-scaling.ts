/**
 * `node packages/experiments/dist/pictures/draw-scaling.js [FILE]`: draws docs/scaling.svg from the result of
 * `npm run bench -- scaling --threads 1,2,4,8,16`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { scalingPicture } from "./scaling-picture.js";

const standing = z.object({ name: z.string(), seconds: z.number() });
const Scaling = z.object({ results: z.array(z.object({ title: z.string(), standings: z.array(standing) })) });

const [, , file = ".vouch/bench/scaling.json"] = process.argv;
const { results } = Scaling.parse(JSON.parse(readFileSync(file, "utf8")));
const works = results.flatMap(({ title, standings }) => {
  const [, name] = /^scaling: (.*), speed-up$/.exec(title) ?? [];
  if (name === undefined) return [];
  const times = standings.map(({ name: threads, seconds }) => ({
    threads: threads === "one thread" ? 1 : Number.parseInt(threads, 10),
    seconds,
  }));
  return [{ name, times: times.toSorted((a, b) => a.threads - b.threads) }];
});
const title = "Speed-up of a whole training, from a table to a certified model, in a new process";
writeFileSync(new URL("../../../../docs/scaling.svg", import.meta.url), scalingPicture(works, title));
