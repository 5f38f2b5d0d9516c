import { batch, signal } from "@preact/signals";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import type { TypedRow } from "@vouch/views/facts";
import { toFault } from "../engine/fault.js";
import {
  type ChosenKind,
  type DataChoices,
  type DataOverview,
  type Fault,
  type ListedLearner,
  MOST_MODELS,
  type ModelResult,
  type NamedFile,
  type RaceBoard,
  type TrainPlan,
} from "../engine/protocol.js";
import type { ReadingChoices } from "../engine/reading-choices.js";
import type { TrainingProgress } from "../engine/training-progress.js";
import type { LearnerForm } from "../options/learner-form.js";
import type { Session, SessionStore } from "../session/session-store.js";
import { type EngineClient, EngineFault, type RunningCall } from "./engine-client.js";
import { fetchFile, isModelFile } from "./files.js";
import { goTo, route } from "./route.js";

const NO_CHOICES: DataChoices = { kinds: {}, split: { by: "random" } };
const FIRST_PLAN: TrainPlan = { seed: 1, metric: "error", seconds: 60 };

/** A file that could not be read with these choices. */
export interface UnreadFile {
  readonly source: NamedFile;
  readonly reading: ReadingChoices;
}

/** What a fault is about, and where it is shown. */
export type FaultPlace = "page" | "training" | { readonly column: string };

const NO_BOARD: RaceBoard = { leaders: [] };

/** A running training in the train step. */
export interface RunningTraining {
  readonly isRace: boolean;
  readonly progress?: TrainingProgress;
  readonly isFinishing?: boolean;
}

/** The state of the page and the actions that change it. The engine does all the work. */
export class Studio {
  readonly source = signal<NamedFile | undefined>(undefined);
  readonly choices = signal<DataChoices>(NO_CHOICES);
  /** A file that could not be read, with the choices so far; the user may add choices. */
  readonly unread = signal<UnreadFile | undefined>(undefined);
  readonly overview = signal<DataOverview | undefined>(undefined);
  readonly plan = signal<TrainPlan>(FIRST_PLAN);
  readonly learners = signal<readonly ListedLearner[]>([]);
  /** Options of the chosen learner; undefined for a race and until they are known. */
  readonly form = signal<LearnerForm | undefined>(undefined);
  readonly training = signal<RunningTraining | undefined>(undefined);
  /** The current or last race. */
  readonly board = signal<RaceBoard>(NO_BOARD);
  /** The models of the session, oldest first, and the one that is shown. */
  readonly models = signal<readonly ModelResult[]>([]);
  readonly result = signal<ModelResult | undefined>(undefined);
  /** What the page is waiting for. */
  readonly waitingFor = signal<string | undefined>(undefined);
  readonly fault = signal<(Fault & { readonly place: FaultPlace }) | undefined>(undefined);
  /** Whether a reload will lose the session because the browser could not store it. */
  readonly isUnkept = signal(false);
  readonly #engine: EngineClient;
  readonly #sessions: SessionStore;
  #running: RunningCall<unknown> | undefined;
  /** Cancels the current reading or training; a new one replaces it. */
  #work = new AbortController();

  constructor(engine: EngineClient, sessions: SessionStore) {
    this.#engine = engine;
    this.#sessions = sessions;
  }

  /** Opens what the address names, or else restores the last session. */
  async start(address: string | undefined): Promise<void> {
    if (address !== undefined) {
      await this.#guarded("Loading the file", async (signal) =>
        this.#openFile(await fetchFile(address), signal),
      );
      return;
    }
    const { signal } = this.#work;
    const session = await this.#sessions.load();
    // The user may have opened a file before the saved session loaded.
    if (session && !signal.aborted) await this.#restore(session);
  }

  async #restore({ source, choices, plan, models, shown }: Session): Promise<void> {
    batch(() => {
      this.choices.value = choices;
      this.plan.value = plan;
      this.source.value = source;
    });
    await this.#guarded("Bringing back your session", async (signal) => {
      if (source) this.overview.value = await this.#read(source, choices, signal);
      const opened: ModelResult[] = [];
      for (const kept of models) {
        const file = { name: "A model of your session", model: kept.model };
        const { number } = await this.#engine.call("open", file, { signal }).answer;
        opened.push({ ...kept, number });
      }
      batch(() => {
        this.models.value = opened;
        this.result.value = opened[shown];
      });
    });
  }

  /** Opens a file that the user dropped or chose: data or a model. */
  open(file: NamedFile): Promise<void> {
    return this.#guarded(`Reading ${file.name}`, (signal) => this.#openFile(file, signal));
  }

  /** Opens a data set of the studio. */
  openExample(name: string): Promise<void> {
    return this.#guarded(`Reading ${name}`, async (signal) =>
      this.#openFile({ ...(await fetchFile(`data/${name}.csv`)), example: name }, signal),
    );
  }

  /** Opens a data file with choices about how it is written. */
  openAs(source: NamedFile, reading: ReadingChoices): Promise<void> {
    const isOpen = source === this.source.value && !this.unread.value;
    // Missing words, decimal marks and orders of dates leave the columns as they are, so the other choices stay.
    const layoutOf = ({ missing: _, decimalComma: __, dateOrder: ___, ...layout }: ReadingChoices) =>
      JSON.stringify(layout);
    if (isOpen && layoutOf(reading) === layoutOf(this.choices.value.reading ?? {})) {
      return this.choose({ ...this.choices.value, reading });
    }
    return this.#guarded(`Reading ${source.name}`, (signal) => this.#openData(source, reading, signal));
  }

  /** Returns to the state before an unreadable file. */
  dismissUnread(): void {
    batch(() => {
      this.unread.value = undefined;
      this.fault.value = undefined;
    });
  }

  async #openFile(source: NamedFile, signal: AbortSignal): Promise<void> {
    this.unread.value = undefined;
    if (await isModelFile(source)) {
      const model = new Uint8Array(await source.file.arrayBuffer());
      const result = await this.#engine.call("open", { name: source.name, model }, { signal }).answer;
      batch(() => {
        this.source.value = undefined;
        this.overview.value = undefined;
        this.models.value = [result];
        this.result.value = result;
      });
      goTo("use");
    } else {
      await this.#openData(source, {}, signal);
    }
    await this.#save();
  }

  async #openData(source: NamedFile, reading: ReadingChoices, signal: AbortSignal): Promise<void> {
    const choices = { ...NO_CHOICES, reading };
    // Without a new file, the previous one stays.
    this.unread.value = { source, reading };
    goTo("data");
    const overview = await this.#read(source, choices, signal);
    batch(() => {
      this.unread.value = undefined;
      this.source.value = source;
      this.choices.value = choices;
      this.overview.value = overview;
      this.models.value = [];
      this.result.value = undefined;
      this.board.value = NO_BOARD;
    });
    await this.#save();
  }

  /** Rereads the file with another kind for a column. */
  chooseKind(column: string, kind: ChosenKind): Promise<void> {
    const { value: choices } = this.choices;
    return this.choose({ ...choices, kinds: { ...choices.kinds, [column]: kind } }, { column });
  }

  /** Rereads the file with other choices about its columns. */
  choose(choices: DataChoices, place: FaultPlace = "page"): Promise<void> {
    const source = this.source.value;
    if (!source) return Promise.resolve();
    const read = async (signal: AbortSignal) => {
      const overview = await this.#read(source, choices, signal);
      batch(() => {
        this.choices.value = choices;
        this.overview.value = overview;
        // The race was for other columns or another target.
        this.board.value = NO_BOARD;
      });
      await this.#save();
    };
    return this.#guarded("Reading the columns again", read, place);
  }

  /** Lists the learners, and describes the options of the chosen one. */
  async listLearners(): Promise<void> {
    if (this.learners.value.length > 0) return;
    this.learners.value = await this.#engine.call("learners", {}).answer;
    await this.#describe();
  }

  /** Changes the training plan. */
  planned(change: Partial<TrainPlan>): void {
    const { learner, ...rest } = { ...this.plan.value, ...change };
    this.plan.value = { ...rest, ...(learner && { learner }) };
    if ("learner" in change) void this.#describe();
  }

  /** Requests the options of the chosen learner and errors in its settings. */
  async #describe(): Promise<void> {
    const { learner } = this.plan.value;
    const form = learner && (await this.#engine.call("form", learner).answer);
    // The user may have chosen another learner meanwhile.
    if (this.plan.value.learner === learner) this.form.value = form;
  }

  /** Trains, then shows the model. Does nothing during another training. */
  async train(): Promise<void> {
    if (this.training.value) return;
    const signal = this.#begin();
    const plan = this.plan.value;
    const isRace = plan.learner === undefined;
    batch(() => {
      this.fault.value = undefined;
      this.waitingFor.value = undefined;
      this.board.value = NO_BOARD;
      this.training.value = { isRace };
    });
    try {
      const call = this.#engine.call("train", plan, {
        signal,
        onTraining: (progress) => this.#update({ progress }),
        onBoard: (board) => {
          this.board.value = board;
        },
      });
      this.#running = call;
      // Load the views while the engine works.
      void import("../steps/model-page.js").catch(() => undefined);
      const result = await call.answer;
      batch(() => {
        this.models.value = [...this.models.value, result].slice(-MOST_MODELS);
        this.result.value = result;
      });
      // A user who has left the train step stays where they are.
      if (route.value === "train") goTo("use");
      await this.#save();
    } catch (error) {
      this.#show(error, "training");
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

  /** Cancels the training. */
  cancel(): void {
    this.#work.abort();
  }

  /** Shows another model of the session. */
  show(model: ModelResult): void {
    this.result.value = model;
    void this.#save();
  }

  /** Removes a model that is not shown from the session. */
  remove({ number }: ModelResult): void {
    this.models.value = this.models.value.filter((model) => model.number !== number);
    void this.#save();
  }

  /** Asks a model about one row; throws faults. */
  ask(model: number, row: TypedRow) {
    return this.#engine.call("ask", { model, row }).answer;
  }

  /** Predicts the rows of a file; throws faults. */
  predict({ number: model, reading = {} }: ModelResult, file: NamedFile) {
    return this.#engine.call("predict", { model, reading, ...file }).answer;
  }

  /** Deletes the session, here and in the browser. */
  async forget(): Promise<void> {
    this.#begin();
    batch(() => {
      this.source.value = undefined;
      this.unread.value = undefined;
      this.overview.value = undefined;
      this.models.value = [];
      this.result.value = undefined;
      this.choices.value = NO_CHOICES;
      this.plan.value = FIRST_PLAN;
      this.board.value = NO_BOARD;
      this.waitingFor.value = undefined;
      this.fault.value = undefined;
    });
    goTo("data");
    await this.#sessions.clear();
  }

  #read(source: NamedFile, choices: DataChoices, signal: AbortSignal): Promise<DataOverview> {
    const onProgress = ({ done, total }: Progress) => {
      const share = total ? ` (${Math.round((100 * done) / total)}%)` : "";
      this.waitingFor.value = `Reading${share}`;
    };
    return this.#engine.call("read", { ...source, choices }, { signal, onProgress }).answer;
  }

  /** Cancels the current work, and returns the signal of its replacement. */
  #begin(): AbortSignal {
    this.#work.abort();
    this.#work = new AbortController();
    return this.#work.signal;
  }

  /** Runs work that replaces the current work; everything it awaits from the engine must end with the signal. */
  async #guarded(
    what: string,
    work: (signal: AbortSignal) => Promise<void>,
    place: FaultPlace = "page",
  ): Promise<void> {
    const signal = this.#begin();
    batch(() => {
      this.fault.value = undefined;
      this.waitingFor.value = what;
    });
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) this.#show(error, place);
    } finally {
      if (!signal.aborted) this.waitingFor.value = undefined;
    }
  }

  /** Shows an error, unless the user stopped the work. */
  #show(error: unknown, place: FaultPlace): void {
    const fault = faultShown(error);
    if (!fault.stopped) this.fault.value = { ...fault, place };
  }

  async #save(): Promise<void> {
    const isKept = await this.#sessions.save({
      source: this.source.value,
      choices: this.choices.value,
      plan: this.plan.value,
      models: this.models.value,
      shown: this.models.value.findIndex(({ number }) => number === this.result.value?.number),
    });
    this.isUnkept.value = !isKept;
  }
}

/** Converts an error into a fault to show. */
export function faultShown(error: unknown): Fault {
  return error instanceof EngineFault ? error.fault : toFault(error);
}
