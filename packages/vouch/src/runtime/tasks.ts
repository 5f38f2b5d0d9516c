import { permutedErrorsTask } from "../evaluate/permutation-importance.js";
import { boostTask } from "../learners/boosted-trees/boost.js";
import { genericNodesTask, leafTask } from "../learners/cascade/generic-nodes.js";
import { cascadeMachineTask, kernelNodesTask } from "../learners/cascade/kernel-nodes.js";
import { foldErrorsTask } from "../learners/cascade/node-costs.js";
import { walkTask } from "../learners/forest/forest-scores.js";
import { growTask } from "../learners/forest/grow-forest.js";
import { trainTask } from "../learners/hierarchy/grow.js";
import { searchTask } from "../learners/hierarchy/search.js";
import { multiclassMachineTask } from "../learners/index.js";
import { kernelPanelsTask } from "../learners/kernel/kernel-matrix.js";
import { classTask } from "../learners/linear/train-classes.js";
import { prepareTask } from "../learners/stump/prepare-features.js";
import { cutTask, outlookTask } from "../learners/stump/split-search.js";
import { svmPairTask } from "../learners/svm/train-pairs.js";
import { divisionTask } from "../select/division.js";
import { gramTask } from "./gram.js";
import type { AnyTask } from "./task.js";

/**
 * Every task of the library. Threads find them here; a list, and not imports for their effect, because
 * bundlers drop imports of which nothing is used.
 */
export const libraryTasks: readonly AnyTask[] = [
  gramTask,
  kernelPanelsTask,
  svmPairTask,
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
