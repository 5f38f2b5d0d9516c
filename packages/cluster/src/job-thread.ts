/** Script of the threads on which a worker runs tasks of the library. */
import { portableTasks } from "@vouch/core/internal/portable-tasks";
import { serveJobs } from "./serve-jobs.js";

serveJobs(portableTasks);
