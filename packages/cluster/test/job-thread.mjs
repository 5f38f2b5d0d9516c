/** The script of the threads of worker.mjs. */
import { serveJobs } from "@vouch/cluster/internal/serve-jobs";
import { portableTasks } from "vouch/extend";
import { testTasks } from "./jobs.mjs";

serveJobs({ ...portableTasks, ...testTasks });
