/** Script of the threads on which `npm run experiment -- worker` runs tasks of the library and of experiments. */
import { serveJobs } from "@vouch/cluster/internal/serve-jobs";
import { portableTasks } from "@vouch/core/internal/portable-tasks";
import { experimentTasks } from "./portable-tasks.js";

serveJobs({ ...portableTasks, ...experimentTasks });
