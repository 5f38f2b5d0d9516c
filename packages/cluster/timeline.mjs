/** Computes how a cluster run spends its time, for the scripts in this folder. */

/**
 * Divides the workers' time during a run into shares that add up to 1. `computing` is work; in `local`, only the
 * calling machine works and no worker has a task; in `tail`, no task is left to take; `waiting` is idle time for other
 * reasons, such as transfers and the queue. Also returns the seconds before the first task, after the last one, and
 * between.
 */
export function timeShares(records, { began, ended, workers, threads }) {
  const weight = ({ wholeMachine }) => (wholeMachine ? 1 : 1 / threads);
  const busy = (from, to) =>
    records.reduce(
      (sum, each) => sum + weight(each) * Math.max(0, Math.min(each.ended, to) - Math.max(each.began, from)),
      0,
    );
  if (records.length === 0) {
    return {
      shares: { computing: 0, local: 1, tail: 0, waiting: 0 },
      localSeconds: { before: (ended - began) / 1000, between: 0, after: 0 },
    };
  }
  const taken = records.map((each) => each.taken);
  const stored = records.map((each) => each.stored);
  const [first, lastTaken, last] = [Math.min(...taken), Math.max(...taken), Math.max(...stored)];
  let [between, until] = [0, first];
  for (const each of records.toSorted((a, b) => a.taken - b.taken)) {
    between += Math.max(0, each.taken - until);
    until = Math.max(until, each.stored);
  }
  const [before, after] = [first - began, ended - last];
  const capacity = workers * (ended - began);
  const computing = busy(began, ended);
  const local = workers * (before + between + after);
  const tail = workers * (last - lastTaken) - busy(lastTaken, last);
  return {
    shares: {
      computing: computing / capacity,
      local: local / capacity,
      tail: tail / capacity,
      waiting: (capacity - computing - local - tail) / capacity,
    },
    localSeconds: { before: before / 1000, between: between / 1000, after: after / 1000 },
  };
}

/** Builds trace events for https://ui.perfetto.dev and chrome://tracing: one row per worker, two for the caller. */
export function traceOf(runs) {
  const events = [];
  runs.forEach(({ name, began, ended, records }, pid) => {
    const rows = new Map([
      ["caller", 0],
      ["caller: results", 1],
    ]);
    const add = (row, title, from, to, args = {}) => {
      if (!rows.has(row)) rows.set(row, rows.size);
      events.push({
        ph: "X",
        name: title,
        pid,
        tid: rows.get(row),
        ts: 1000 * (from - began),
        dur: 1000 * (to - from),
        args,
      });
    };
    add("caller", name, began, ended);
    // Overlapping tasks of a worker get separate rows.
    const ends = new Map();
    for (const each of records.toSorted((a, b) => a.taken - b.taken)) {
      let slot = 0;
      while ((ends.get(`${each.worker} ${slot}`) ?? 0) > each.taken) slot++;
      const row = `${each.worker} ${slot}`;
      ends.set(row, each.stored);
      const args = { task: each.task, index: each.index };
      add(row, "fetch", each.taken, each.began, args);
      add(row, `${each.task} ${each.index}`, each.began, each.ended, args);
      add(row, "store", each.ended, each.stored, args);
      add("caller: results", `decode ${each.index}`, each.heard, each.decoded, args);
    }
    events.push({ ph: "M", name: "process_name", pid, args: { name } });
    for (const [row, tid] of rows)
      events.push({ ph: "M", name: "thread_name", pid, tid, args: { name: row } });
  });
  return { traceEvents: events };
}
