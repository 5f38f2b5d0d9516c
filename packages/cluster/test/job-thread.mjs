/** The script of the threads of worker.mjs. */
import { serveJobs } from "@vouch/cluster/jobs";
import { experimentTasks } from "@vouch/experiments/tasks";
import { portableTasks } from "vouch/machines";
import { testTasks } from "./jobs.mjs";

serveJobs({ ...portableTasks, ...experimentTasks, ...testTasks });
