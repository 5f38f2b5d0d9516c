import type { DataChoices, ModelResult, NamedFile, TrainPlan } from "../engine/protocol.js";

/** What a reload brings back. */
export interface Session {
  readonly source?: NamedFile | undefined;
  readonly choices: DataChoices;
  readonly plan: TrainPlan;
  /** The models, oldest first. */
  readonly models: readonly ModelResult[];
  /** The place of the model that is shown. */
  readonly shown: number;
}

const DATABASE = "vouch-studio";
const STORE = "sessions";
/** The key has the version of what is stored: a session of another version is not read. */
const CURRENT = "current-2";

/** Increase it when the facts of a model change: a session of an older version is forgotten. */
const VERSION = 2;

/** Keeps the session in IndexedDB. A browser without it, as in some private windows, starts afresh at every visit. */
export class SessionStore {
  readonly #database: Promise<IDBDatabase | undefined>;
  /** Writes run one after the other, the last one wins. */
  #written: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#database = opened().catch(() => undefined);
  }

  /** Returns the session of the last visit. */
  async load(): Promise<Session | undefined> {
    const database = await this.#database;
    if (!database) return undefined;
    const store = database.transaction(STORE).objectStore(STORE);
    return settled<Session | undefined>(store.get(CURRENT)).catch(() => undefined);
  }

  /** Writes the session, and tells whether it could be kept: without room for it, none is, so that no older one comes back. */
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

/** Waits until a change is on the disk: a lack of room may show as late as that. */
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
