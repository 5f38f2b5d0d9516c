import type { DataChoices, ModelResult, NamedFile, TrainPlan } from "../engine/protocol.js";

/** Data that a reload restores. */
export interface Session {
  readonly source?: NamedFile | undefined;
  readonly choices: DataChoices;
  readonly plan: TrainPlan;
  readonly models: readonly ModelResult[];
  /** Index of the shown model. */
  readonly shown: number;
}

const DATABASE = "vouch-studio";
const STORE = "sessions";
/** Storage key with a version; sessions of other versions are ignored. */
const CURRENT = "current-2";

/** Increase this when the facts of a model change; sessions of older versions are then ignored. */
const VERSION = 2;

/** Stores the session in IndexedDB. A browser without it, such as some private windows, starts fresh at every visit. */
export class SessionStore {
  readonly #database: Promise<IDBDatabase | undefined>;
  /** Writes run in sequence, so the last one wins. */
  #written: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#database = opened().catch(() => undefined);
  }

  /** Loads the last session. */
  async load(): Promise<Session | undefined> {
    const database = await this.#database;
    if (!database) return undefined;
    const store = database.transaction(STORE).objectStore(STORE);
    return settled<Session | undefined>(store.get(CURRENT)).catch(() => undefined);
  }

  /**
   * Stores the session, and returns whether that worked. If it does not fit, it deletes the stored session, so that no
   * older one returns.
   */
  async save(session: Session): Promise<boolean> {
    const isKept = await this.#write((store) => store.put(session, CURRENT));
    if (!isKept) await this.clear();
    return isKept;
  }

  async clear(): Promise<void> {
    await this.#write((store) => store.clear());
  }

  #write(change: (store: IDBObjectStore) => IDBRequest): Promise<boolean> {
    const next = this.#written.then(async () => {
      const database = await this.#database;
      if (!database) return false;
      const transaction = database.transaction(STORE, "readwrite");
      change(transaction.objectStore(STORE));
      await completed(transaction);
      return true;
    });
    const isWritten = next.catch(() => false);
    this.#written = isWritten;
    return isWritten;
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    const { result } = request;
    if (result.objectStoreNames.contains(STORE)) result.deleteObjectStore(STORE);
    result.createObjectStore(STORE);
  };
  return settled(request);
}

/** Waits until a change is on disk; a full disk may show only then. */
function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
