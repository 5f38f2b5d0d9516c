/** The script of the threads on which `vouch worker` runs tasks: those of the library and those of experiments. */
import { serveJobs } from "@vouch/cluster/jobs";
import { experimentTasks } from "@vouch/experiments/tasks";
import { portableTasks } from "vouch/machines";

serveJobs({ ...portableTasks, ...experimentTasks });
