import { boostTask } from "../boosted-trees/boost.js";
import { foldErrorsTask } from "../cascade/costs.js";
import { genericNodesTask, leafTask } from "../cascade/generic-nodes.js";
import { machineTask as cascadeMachineTask, kernelNodesTask } from "../cascade/kernel-nodes.js";
import { growTask } from "../forest/grow-forest.js";
import { walkTask } from "../forest/walk-forest.js";
import { searchTask } from "../hierarchy/search.js";
import { trainTask } from "../hierarchy/train-nodes.js";
import { kernelPanelsTask } from "../kernel/compute-matrix.js";
import { permutedErrorsTask } from "../learning/permutation-importance.js";
import { machineTask as multiclassMachineTask } from "../learning/registry.js";
import { classTask } from "../linear-svm/train-classes.js";
import { gramTask } from "../numeric/gram.js";
import { divisionTask } from "../selection/division-task.js";
import { prepareTask } from "../stump/prepare-task.js";
import { cutTask, outlookTask } from "../stump/search-tasks.js";
import { machineTask } from "../svm/train-pairs.js";
import type { AnyTask } from "./task.js";

/**
 * Every task of the library. Threads find them here; a list, and not imports for their effect, because
 * bundlers drop imports of which nothing is used.
 */
export const libraryTasks: readonly AnyTask[] = [
  gramTask,
  kernelPanelsTask,
  machineTask,
  classTask,
  prepareTask,
  outlookTask,
  cutTask,
  kernelNodesTask,
  cascadeMachineTask,
  genericNodesTask,
  leafTask,
  foldErrorsTask,
  growTask,
  walkTask,
  boostTask,
  searchTask,
  trainTask,
  permutedErrorsTask,
  divisionTask,
  multiclassMachineTask,
];
