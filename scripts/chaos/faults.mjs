/** The faults of a chaos run, by name. */
import { REPLACED, SOURCES, STEADY, WORK_NAMES } from "./commands.mjs";

export function faultsOn(scene, { redis, workers, commands, load }) {
  const stopped = async (send, most) => {
    send("SIGSTOP");
    await scene.pauseUpTo(most);
    send("SIGCONT");
  };
  const onCluster = () => scene.uniform() < 0.5;
  const ofServer = (name) => (pid) => load.signal(pid, name);
  return {
    "a worker is killed": () => workers.replaceOne(),
    "a worker is stopped": () => stopped((name) => workers.current.signal(name), 12_000),
    "Redis is restarted": () => redis.restart(4000),
    "Redis is stopped": () => redis.stopFor(10_000),
    async "a process of the server is killed"() {
      ofServer("SIGKILL")(scene.pick(load.serving));
    },
    "a process of the server is stopped": () => {
      const pid = scene.pick(load.serving);
      return stopped((name) => load.signal(pid, name), 4000);
    },
    "the first process of the server is stopped": () => stopped((name) => load.signal(load.pid, name), 4000),
    "the model file of the server is taken away": () => load.takeModelAway(3000),
    "the model file of the server is replaced": () => load.replaceModel(),
    "the disk of the server's state is full": () => load.fillDiskOfState(),
    "the disk is full": () =>
      commands.attempt(scene.pick(STEADY), {
        fault: "full disk",
        blocks: 1 + Math.floor(300 * scene.uniform()),
        cluster: onCluster(),
      }),
    "a command is killed": () =>
      commands.attempt(scene.pick(STEADY), {
        fault: "killed",
        cluster: onCluster(),
        during: async (child) => {
          await scene.pauseUpTo(6000);
          child.kill("SIGKILL");
        },
      }),
    "a command is stopped": () =>
      commands.attempt(scene.pick(STEADY), {
        cluster: onCluster(),
        during: async (child) => {
          await scene.pauseUpTo(4000);
          // Shards would take a longer silence for death.
          await stopped((name) => child.kill(name), 6000);
        },
      }),
    "a data file is taken away": () =>
      whileReading(async () => {
        await scene.pauseUpTo(1500);
        await scene.takeAway(REPLACED, 1000);
      }),
    "a data file is replaced": () =>
      whileReading(async () => {
        for (let times = 1 + Math.floor(4 * scene.uniform()); times > 0; times--) {
          await scene.pauseUpTo(700);
          scene.replace(REPLACED, scene.pick(SOURCES));
        }
      }),
  };

  function whileReading(during) {
    const names = WORK_NAMES.filter((name) => !STEADY.includes(name));
    return commands.attempt(scene.pick(names), { fault: "changed data", during, cluster: onCluster() });
  }
}
