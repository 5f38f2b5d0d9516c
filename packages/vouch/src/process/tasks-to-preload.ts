import { learnerNamed } from "@vouch/core/internal/learners/index";
import type { Learner } from "@vouch/core/internal/learners/learner";

/** The task that fits one of many candidates. */
const TRIAL = "validation/trial";

/** Lists the tasks that a command runs on threads: tasks of its only learner, or trials of many. */
export async function threadTasks(learners: readonly Pick<Learner, "name">[]): Promise<readonly string[]> {
  if (learners.length !== 1) return [TRIAL];
  return (await learnerNamed(learners[0].name)).tasks ?? [];
}
