/**
 * Jobs of a growing tree. A large tree is grown by several threads: where both sides of a split have many rows, the right one
 * becomes a job of its own, which any thread may take. Whether there is a job depends on the numbers of rows alone, and its random
 * numbers come from the job that it was split from, so a tree does not depend on who grows it.
 *
 * Each job has a part of the tree's memory, as large as its rows need, of which its children take theirs from the end. A node with so
 * many rows is the only one of its job, so later children have earlier rows and earlier memory: jobs in the order of their memory are in the
 * order of their rows, with parents before children.
 */
import { CATEGORICAL, NODE_SHIFT, SET_BYTES } from "./tree-node";
import { bits } from "./tree-random";
import { aligned, Grower } from "./tree-state";

/** Both sides of a split have more rows than this if the right one becomes a job: a few milliseconds of work. */
@inline const JOB_ROWS: i32 = 8192;

/** Most jobs that are split from one: each takes a leaf more than the rows that stay have room for. */
@inline const MOST_CHILDREN: i32 = 32;

/** Draws that make the state of a generator depend on all bits of its seed. */
@inline const WARM_UP: i32 = 12;

/** A job, followed by the features in their order, i32, and the decreases of impurity by its splits, f64. */
@unmanaged export class Job {
  /** 1 once the job can be taken. */
  ready: i32;
  /** Its rows. */
  begin: i32;
  end: i32;
  depth: i32;
  /** See `Waiting`. */
  constants: i32;
  splitBy: i32;
  /** The place of its root among all nodes of the slot. */
  node: i32;
  /** Number of jobs that were split from it. */
  children: i32;
  /** Where its part of the memory begins and ends, in leaves. */
  room: i32;
  roomEnd: i32;
  a: u32;
  b: u32;
  c: u32;
  counter: u32;
  // The result
  nodeCount: i32;
  setCount: i32;
  leafCount: i32;
}

/** The memory of a tree while it grows: this header, then rows, nodes and jobs. Threads count jobs atomically. */
@unmanaged export class Slot {
  /**
   * Number of jobs so far, and of those that were taken, of all trees that have grown in the slot: a thread that has read a
   * number before a tree was finished must not take a job of the next tree for one of the last.
   */
  jobs: i32;
  taken: i32;
  /** The number of jobs before this tree. */
  base: i32;
  /** Number of jobs of this tree that are not done. */
  open: i32;
  listed: i32;
  /** Number of integers in the table of logarithms. */
  logs: i32;
  /** After `assemble`: nodes, sets and shares of the whole tree. */
  nodeCount: i32;
  setCount: i32;
  leafCount: i32;
  rootWeight: f64;
  // Addresses
  nodes: usize;
  sets: usize;
  leafClasses: usize;
  leafShares: usize;
  firstJob: usize;
  jobBytes: usize;
}

@inline function slotOf(grower: Grower): Slot {
  return changetype<Slot>(grower.slot);
}

@inline function jobAt(slot: Slot, index: i32): Job {
  return changetype<Job>(slot.firstJob + <usize>index * slot.jobBytes);
}

@inline function featuresOf(job: Job): usize {
  return changetype<usize>(job) + aligned(offsetof<Job>());
}

@inline function decreasesOf(job: Job, columns: i32): usize {
  return featuresOf(job) + aligned(<usize>columns << 2);
}

/** Returns how many leaves a job on these rows and all jobs that are split from it have together, at most: more than `JOB_ROWS` rows stay with each. */
@inline function roomFor(rows: i32): i32 {
  return rows + rows / JOB_ROWS * MOST_CHILDREN;
}

/**
 * Lays a slot out from `at` on, for trees on at most `capacity` rows of `columns`, and returns its end. Writes to the state only, and
 * does not read it.
 */
export function placeSlot(
  grower: Grower, at: usize, columns: i32, capacity: i32, weighted: bool, categorical: bool, entropy: bool,
): usize {
  const perRow = <usize>capacity, perLeaf = <usize>roomFor(capacity);
  const rowBytes = perRow << (weighted ? 4 : 3), jobs = capacity / JOB_ROWS + 1;
  grower.slot = at;
  at = grower.rows = aligned(at + offsetof<Slot>());
  at = grower.spare = aligned(at + rowBytes);
  at = grower.list = aligned(at + rowBytes);
  at = grower.drawn = aligned(at + (perRow << 2));
  at = grower.next = aligned(at + (perRow << 1));
  at = grower.logs = aligned(at + (perRow << 2));
  at = grower.nodes = aligned(at + (entropy ? (perRow + 1) << 3 : 0));
  at = grower.sets = aligned(at + (perLeaf << (NODE_SHIFT + 1)));
  at = grower.leafClasses = aligned(at + (categorical ? perLeaf * SET_BYTES : 0));
  at = grower.leafShares = aligned(at + (perLeaf << 2));
  at = grower.job = aligned(at + (perLeaf << 2));
  return at + <usize>jobs * jobBytes(columns);
}

function jobBytes(columns: i32): usize {
  return aligned(offsetof<Job>()) + aligned(<usize>columns << 2) + aligned(<usize>columns << 3);
}

/** Prepares a slot that `placeSlot` has just laid out. */
export function clearSlot(grower: Grower, columns: i32): void {
  const slot = slotOf(grower);
  slot.jobs = 0;
  slot.taken = 0;
  slot.base = 0;
  slot.open = 0;
  slot.logs = 0;
  slot.nodes = grower.nodes;
  slot.sets = grower.sets;
  slot.leafClasses = grower.leafClasses;
  slot.leafShares = grower.leafShares;
  slot.firstJob = grower.job;
  slot.jobBytes = jobBytes(columns);
}

/** Makes the job of a whole tree, of these rows. */
export function addFirstJob(grower: Grower, rows: i32): void {
  const slot = slotOf(grower), job = jobAt(slot, 0), features = featuresOf(job);
  slot.listed = grower.listed;
  job.begin = 0;
  job.end = rows;
  job.depth = 0;
  job.constants = 0;
  job.splitBy = -1;
  job.node = 0;
  job.children = 0;
  job.room = 0;
  job.roomEnd = roomFor(rows);
  job.a = grower.a;
  job.b = grower.b;
  job.c = grower.c;
  job.counter = grower.counter;
  for (let feature = 0; feature < grower.columns; feature++) store<i32>(features + (<usize>feature << 2), feature);
  slot.base = slot.jobs;
  slot.open = 1;
  job.ready = 1;
  atomic.store<i32>(changetype<usize>(slot), slot.base + 1, offsetof<Slot>("jobs"));
}

/** Tells whether the right side of a split of the current node becomes a job. */
@inline export function isJob(grower: Grower, left: i32, right: i32): bool {
  return min(left, right) > JOB_ROWS && changetype<Job>(grower.job).children < MOST_CHILDREN;
}

/** Makes a job of the right side of the current node, whose root is the node `node` of the current job. */
export function addJob(grower: Grower, node: i32, begin: i32, end: i32, depth: i32, constants: i32, splitBy: i32): void {
  const slot = slotOf(grower), parent = changetype<Job>(grower.job), roomEnd = parent.roomEnd;
  parent.children++;
  parent.roomEnd -= roomFor(end - begin);
  atomic.add<i32>(changetype<usize>(slot), 1, offsetof<Slot>("open"));
  const before = atomic.add<i32>(changetype<usize>(slot), 1, offsetof<Slot>("jobs")), job = jobAt(slot, before - slot.base);
  job.begin = begin;
  job.end = end;
  job.depth = depth;
  job.constants = constants;
  job.splitBy = splitBy;
  job.node = <i32>((grower.nodes - slot.nodes) >> NODE_SHIFT) + node;
  job.children = 0;
  job.room = parent.roomEnd;
  job.roomEnd = roomEnd;
  job.a = bits(grower);
  job.b = bits(grower);
  job.c = bits(grower);
  job.counter = 1;
  memory.copy(featuresOf(job), grower.features, <usize>grower.columns << 2);
  atomic.store<i32>(changetype<usize>(job), 1, offsetof<Job>("ready"));
}

/** Takes a job of a slot; returns false if none is waiting. */
export function takeJob(grower: Grower): bool {
  const slot = grower.slot;
  for (;;) {
    const next = atomic.load<i32>(slot, offsetof<Slot>("taken"));
    if (next >= atomic.load<i32>(slot, offsetof<Slot>("jobs"))) return false;
    if (atomic.cmpxchg<i32>(slot, next, next + 1, offsetof<Slot>("taken")) != next) continue;
    const job = jobAt(slotOf(grower), next - slotOf(grower).base);
    // The thread that has counted it is about to write it.
    while (!atomic.load<i32>(changetype<usize>(job), offsetof<Job>("ready"))) {}
    openJob(grower, job);
    return true;
  }
}

/** Makes a job the current one. */
function openJob(grower: Grower, job: Job): void {
  const slot = slotOf(grower), room = <usize>job.room << 2;
  grower.job = changetype<usize>(job);
  grower.listed = slot.listed;
  grower.nodes = nodesOf(slot, job);
  grower.sets = setsOf(slot, job);
  grower.leafClasses = slot.leafClasses + room;
  grower.leafShares = slot.leafShares + room;
  grower.decreases = decreasesOf(job, grower.columns);
  grower.nodeCount = 1;
  grower.setCount = 0;
  grower.leafCount = 0;
  memory.fill(grower.decreases, 0, <usize>grower.columns << 3);
  memory.copy(grower.features, featuresOf(job), <usize>grower.columns << 2);
  memory.copy(grower.constants, grower.features, <usize>job.constants << 2);
  grower.a = job.a;
  grower.b = job.b;
  grower.c = job.c;
  grower.counter = job.counter;
  if (job.splitBy >= 0) for (let draw = 0; draw < WARM_UP; draw++) bits(grower);
}

/** Notes that the current job is done; returns whether it was the last one of its tree. */
export function closeJob(grower: Grower): bool {
  const job = changetype<Job>(grower.job);
  job.nodeCount = grower.nodeCount;
  job.setCount = grower.setCount;
  job.leafCount = grower.leafCount;
  job.ready = 0;
  return atomic.sub<i32>(grower.slot, 1, offsetof<Slot>("open")) == 1;
}

/** Joins the jobs of a tree in the order of their memory. Afterwards its nodes, sets and shares are contiguous. */
export function assemble(grower: Grower): void {
  const slot = slotOf(grower), order = grower.next;
  sortJobs(slot, order);
  let nodes = 0, sets = 0, leaves = 0;
  for (let place = 0; place < slot.jobs - slot.base; place++) {
    const job = jobAt(slot, load<i32>(order + (<usize>place << 2)));
    if (place > 0) renumber(slot, job, nodes, sets, leaves);
    nodes += job.nodeCount - 1;
    sets += job.setCount;
    leaves += job.leafCount;
  }
  slot.nodeCount = 1;
  slot.setCount = 0;
  slot.leafCount = 0;
  const sums = decreasesOf(jobAt(slot, 0), grower.columns);
  for (let place = 0; place < slot.jobs - slot.base; place++) {
    const job = jobAt(slot, load<i32>(order + (<usize>place << 2)));
    move(slot, job);
    if (place > 0) addDecreases(sums, decreasesOf(job, grower.columns), grower.columns);
  }
  openSlot(grower, slot);
  grower.decreases = sums;
}

/** Lists the jobs in the order of their memory. */
function sortJobs(slot: Slot, order: usize): void {
  for (let index = 0; index < slot.jobs - slot.base; index++) {
    const room = jobAt(slot, index).room;
    let place = index;
    for (; place > 0; place--) {
      const before = load<i32>(order + (<usize>(place - 1) << 2));
      if (jobAt(slot, before).room < room) break;
      store<i32>(order + (<usize>place << 2), before);
    }
    store<i32>(order + (<usize>place << 2), index);
  }
}

@inline function nodesOf(slot: Slot, job: Job): usize {
  return slot.nodes + (<usize>job.room << (NODE_SHIFT + 1));
}

@inline function setsOf(slot: Slot, job: Job): usize {
  return slot.sets + <usize>job.room * SET_BYTES;
}

/** Numbers the nodes, sets and shares of a job after those before it, and puts its root in its place in the parent. */
function renumber(slot: Slot, job: Job, nodes: i32, sets: i32, leaves: i32): void {
  const first = nodesOf(slot, job), firstSet = setsOf(slot, job);
  for (let set = firstSet; set < firstSet + <usize>job.setCount * SET_BYTES; set += SET_BYTES) {
    store<i32>(set, load<i32>(set) + nodes);
  }
  for (let node = first; node < first + (<usize>job.nodeCount << NODE_SHIFT); node += 1 << NODE_SHIFT) {
    const rule = load<i32>(node, 4);
    const more = rule < 0 ? (rule == -1 ? 0 : leaves) : rule & CATEGORICAL ? sets : nodes;
    store<i32>(node, load<i32>(node) + more);
  }
  store<u64>(slot.nodes + (<usize>job.node << NODE_SHIFT), load<u64>(first));
}

/** Moves the nodes of a job but its root, its sets and its shares to the end of those before it. */
function move(slot: Slot, job: Job): void {
  const room = <usize>job.room << 2, leaves = <usize>slot.leafCount << 2;
  if (job.splitBy >= 0) {
    memory.copy(
      slot.nodes + (<usize>slot.nodeCount << NODE_SHIFT), nodesOf(slot, job) + (1 << NODE_SHIFT),
      <usize>(job.nodeCount - 1) << NODE_SHIFT,
    );
    // Without categories there is no room for sets, and the address may be that of no memory.
    if (job.setCount > 0) {
      memory.copy(slot.sets + <usize>slot.setCount * SET_BYTES, setsOf(slot, job), <usize>job.setCount * SET_BYTES);
    }
    memory.copy(slot.leafClasses + leaves, slot.leafClasses + room, <usize>job.leafCount << 2);
    memory.copy(slot.leafShares + leaves, slot.leafShares + room, <usize>job.leafCount << 2);
  }
  slot.nodeCount += job.nodeCount - 1;
  slot.setCount += job.setCount;
  slot.leafCount += job.leafCount;
}

function addDecreases(sums: usize, decreases: usize, columns: i32): void {
  for (let at: usize = 0; at < <usize>columns << 3; at += 8) {
    store<f64>(sums + at, load<f64>(sums + at) + load<f64>(decreases + at));
  }
}

/** Makes the assembled tree the current one. */
function openSlot(grower: Grower, slot: Slot): void {
  grower.listed = slot.listed;
  grower.nodes = slot.nodes;
  grower.sets = slot.sets;
  grower.leafClasses = slot.leafClasses;
  grower.leafShares = slot.leafShares;
  grower.nodeCount = slot.nodeCount;
  grower.setCount = slot.setCount;
  grower.leafCount = slot.leafCount;
  grower.rootWeight = slot.rootWeight;
}
