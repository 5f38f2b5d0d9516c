import { batch, signal } from "@preact/signals";
import type { AskRow } from "@vouch/views";
import type { Progress, RaceStanding } from "vouch/train";
import type {
  DataChoices,
  DataOverview,
  Fault,
  LearnerDescription,
  ModelResult,
  NamedFile,
  RequestKind,
  Requests,
  TrainPlan,
} from "../engine/protocol.js";
import type { SessionStore } from "../session/session-store.js";
import { type EngineClient, EngineFault, type RunningCall } from "./engine-client.js";
import { fetchFile, isModelFile } from "./files.js";
import { goTo } from "./route.js";

const NO_CHOICES: DataChoices = { kinds: {}, split: { by: "random" } };
const FIRST_PLAN: TrainPlan = { seed: 1, metric: "error", seconds: 60 };

/** A running training as the train step shows it. */
export interface RunningTraining {
  readonly isRace: boolean;
  readonly progress?: Progress;
  readonly isFinishing?: boolean;
}

/** The state of the page and what changes it. All work is done by the engine. */
export class Studio {
  readonly source = signal<NamedFile | undefined>(undefined);
  readonly choices = signal<DataChoices>(NO_CHOICES);
  readonly overview = signal<DataOverview | undefined>(undefined);
  readonly plan = signal<TrainPlan>(FIRST_PLAN);
  readonly learners = signal<readonly LearnerDescription[]>([]);
  readonly training = signal<RunningTraining | undefined>(undefined);
  readonly standing = signal<readonly RaceStanding[]>([]);
  readonly result = signal<ModelResult | undefined>(undefined);
  /** What is being done, while the page waits. */
  readonly waitingFor = signal<string | undefined>(undefined);
  readonly fault = signal<Fault | undefined>(undefined);
  /** Whether the session of the last visit has been looked up. */
  readonly isReady = signal(false);
  readonly #engine: EngineClient;
  readonly #sessions: SessionStore;
  #running: RunningCall<unknown> | undefined;

  constructor(engine: EngineClient, sessions: SessionStore) {
    this.#engine = engine;
    this.#sessions = sessions;
  }

  /** Opens what the address names, or else brings back the last session. */
  async start(address: string | undefined): Promise<void> {
    if (address !== undefined) {
      await this.#guarded(`Loading ${address.split("/").at(-1)}`, async () =>
        this.#openFile(await fetchFile(address)),
      );
    } else {
      const session = await this.#sessions.load();
      if (session) await this.#restore(session);
    }
    this.isReady.value = true;
  }

  async #restore({
    source,
    choices,
    plan,
    result,
  }: Awaited<ReturnType<SessionStore["load"]>> & object): Promise<void> {
    batch(() => {
      this.choices.value = choices;
      this.plan.value = plan;
      this.source.value = source;
    });
    await this.#guarded("Bringing back your session", async () => {
      if (source) this.overview.value = await this.#call("read", { ...source, choices }, "Reading");
      if (!result) return;
      await this.#engine.call("open", { model: result.model }).answer;
      this.result.value = result;
    });
  }

  /** Opens a file that the user dropped or chose: data to train on, or a model. */
  open(file: NamedFile): Promise<void> {
    return this.#guarded(`Reading ${file.name}`, () => this.#openFile(file));
  }

  /** Opens a data set that comes with the studio. */
  openShipped(name: string): Promise<void> {
    return this.#guarded(`Reading ${name}`, async () => this.#openFile(await fetchFile(`data/${name}.csv`)));
  }

  async #openFile(source: NamedFile): Promise<void> {
    if (await isModelFile(source.file)) {
      const model = new Uint8Array(await source.file.arrayBuffer());
      const result = await this.#engine.call("open", { model }).answer;
      batch(() => {
        this.source.value = undefined;
        this.overview.value = undefined;
        this.result.value = result;
      });
      goTo("use");
    } else {
      const overview = await this.#call("read", { ...source, choices: NO_CHOICES }, "Reading");
      batch(() => {
        this.source.value = source;
        this.choices.value = NO_CHOICES;
        this.overview.value = overview;
        this.result.value = undefined;
        this.standing.value = [];
      });
      goTo("data");
    }
    await this.#save();
  }

  /** Reads the file again with other choices about its columns. */
  choose(choices: DataChoices): Promise<void> {
    const source = this.source.value;
    if (!source) return Promise.resolve();
    return this.#guarded("Reading the columns again", async () => {
      const overview = await this.#call("read", { ...source, choices }, "Reading");
      batch(() => {
        this.choices.value = choices;
        this.overview.value = overview;
      });
      await this.#save();
    });
  }

  /** Describes the learners, which loads all of them: not before they are needed. */
  async describeLearners(): Promise<void> {
    if (this.learners.value.length > 0) return;
    this.learners.value = await this.#engine.call("learners", {}).answer;
  }

  /** Changes what will be trained. */
  planned(change: Partial<TrainPlan>): void {
    const { learner, ...rest } = { ...this.plan.value, ...change };
    this.plan.value = { ...rest, ...(learner && { learner }) };
  }

  /** Trains, then shows the model. */
  async train(): Promise<void> {
    const plan = this.plan.value;
    const isRace = plan.learner === undefined;
    batch(() => {
      this.fault.value = undefined;
      this.standing.value = [];
      this.training.value = { isRace };
    });
    try {
      const call = this.#engine.call("train", plan, {
        onProgress: (progress) => this.#update({ progress }),
        onStanding: (standing) => {
          this.standing.value = standing;
        },
      });
      this.#running = call;
      // The views are loaded while the engine works.
      void import("../steps/model-page.js").catch(() => undefined);
      this.result.value = await call.answer;
      goTo("use");
      await this.#save();
    } catch (error) {
      this.#show(error);
    } finally {
      this.#running = undefined;
      this.training.value = undefined;
    }
  }

  #update(change: Partial<RunningTraining>): void {
    if (this.training.value) this.training.value = { ...this.training.value, ...change };
  }

  /** Ends the race; the best learner so far becomes the model. */
  finish(): void {
    this.#update({ isFinishing: true });
    this.#running?.finish();
  }

  /** Ends the training without a model. */
  cancel(): void {
    this.#running?.abort();
  }

  /** Asks the engine about one row; faults are thrown to the caller. */
  readonly ask: AskRow = (row) => this.#engine.call("ask", { row }).answer;

  /** Predicts the rows of a file; faults are thrown to the caller. */
  predict(file: NamedFile) {
    return this.#engine.call("predict", file).answer;
  }

  /** Forgets the session, here and in the browser. */
  async forget(): Promise<void> {
    batch(() => {
      this.source.value = undefined;
      this.overview.value = undefined;
      this.result.value = undefined;
      this.choices.value = NO_CHOICES;
      this.plan.value = FIRST_PLAN;
      this.fault.value = undefined;
    });
    goTo("data");
    await this.#sessions.clear();
  }

  async #call<K extends RequestKind>(kind: K, request: Requests[K], what: string) {
    return this.#engine.call(kind, request, {
      onProgress: ({ done, total }) => {
        const share = total ? ` (${Math.round((100 * done) / total)} %)` : "";
        this.waitingFor.value = `${what}${share}`;
      },
    }).answer;
  }

  async #guarded(what: string, work: () => Promise<void>): Promise<void> {
    batch(() => {
      this.fault.value = undefined;
      this.waitingFor.value = what;
    });
    try {
      await work();
    } catch (error) {
      this.#show(error);
    } finally {
      this.waitingFor.value = undefined;
    }
  }

  #show(error: unknown): void {
    const fault = faultShown(error);
    if (!fault.stopped) this.fault.value = fault;
  }

  #save(): Promise<void> {
    return this.#sessions.save({
      source: this.source.value,
      choices: this.choices.value,
      plan: this.plan.value,
      result: this.result.value,
    });
  }
}

/** Returns what to show of an error. */
export function faultShown(error: unknown): Fault {
  if (error instanceof EngineFault) return error.fault;
  return { message: error instanceof Error ? error.message : String(error) };
}
