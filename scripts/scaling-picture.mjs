/** `node scripts/scaling-picture.mjs [FILE]`: draws docs/scaling.svg from the result of `npm run bench -- scaling --threads 1,2,4,8,16`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scalingPicture } from "@vouch/report";
import { root } from "./setup.mjs";

const [, , file = ".vouch/bench/scaling.json"] = process.argv;
const { results } = JSON.parse(readFileSync(join(root, file), "utf8"));
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
writeFileSync(join(root, "docs", "scaling.svg"), scalingPicture(works, title));
