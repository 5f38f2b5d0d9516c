import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** The rooms of the library from the ground up (docs/architecture.md); any other folder is a learner. */
const floors = [
  ["state", "parallel", "numeric"],
  ["data"],
  ["bounds"],
  ["learning", "kernel"],
  [],
  ["selection"],
  ["model"],
];
const learners = 4;

/** Lists of what there is, which import everything that they list. */
const lists = ["learning/registry.ts", "parallel/tasks.ts"];

const roomOf = (path: string): string | undefined => path.split("/").at(-2);
const floorOf = (room: string): number => {
  const floor = floors.findIndex((rooms) => rooms.includes(room));
  return floor < 0 ? learners : floor;
};

/** Every import of a file of another room, by paths from the source folder. */
function imports(): { from: string; to: string }[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    return Array.from(text.matchAll(/ from "(\..+)\.js"/g), ([, path]) => ({
      from: file.split(sep).join("/"),
      to: relative(source, join(source, dirname(file), `${path}.ts`))
        .split(sep)
        .join("/"),
    }));
  });
}

it("imports point one way, and from learner to learner only to its index", () => {
  const all = imports();
  const wrong = all.filter(({ from, to }) => {
    const [own, other] = [roomOf(from), roomOf(to)];
    if (own === undefined || other === undefined || own === other || lists.includes(from)) return false;
    if (floorOf(own) === learners && floorOf(other) === learners) return !to.endsWith("/index.ts");
    return floorOf(other) > floorOf(own);
  });
  expect(wrong).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
});
