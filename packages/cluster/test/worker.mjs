/** A worker for tests: runs the tasks of the library and of jobs.mjs; prints what happens. */
import { startWorker } from "@vouch/cluster";
import { limitMemory } from "vouch";
import { portableTasks } from "vouch/extend";
import { testTasks } from "./jobs.mjs";

const { memory, ...settings } = JSON.parse(process.argv[2]);
if (memory) limitMemory(memory);
const worker = await startWorker({
  ...settings,
  tasks: [...Object.keys(portableTasks), ...Object.keys(testTasks)],
  script: new URL("./job-thread.mjs", import.meta.url),
  onEvent: (event) => console.log(JSON.stringify(event)),
});
console.log("joined");
process.on("SIGINT", async () => {
  await worker.close();
  console.log("left");
  process.exit(0);
});
