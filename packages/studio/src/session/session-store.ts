import type { DataChoices, ModelResult, NamedFile, TrainPlan } from "../engine/protocol.js";

/** What a reload brings back. */
export interface Session {
  readonly source?: NamedFile | undefined;
  readonly choices: DataChoices;
  readonly plan: TrainPlan;
  readonly result?: ModelResult | undefined;
}

const DATABASE = "vouch-studio";
const STORE = "sessions";
const CURRENT = "current";

/** Keeps the session in IndexedDB. A browser without it, as in some private windows, starts afresh at every visit. */
export class SessionStore {
  readonly #database: Promise<IDBDatabase | undefined>;
  /** Writes run one after the other, the last one wins. */
  #written: Promise<void> = Promise.resolve();

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

  /** Writes the session. A full disk loses the session, not the work. */
  save(session: Session): Promise<void> {
    return this.#write((store) => store.put(session, CURRENT));
  }

  async clear(): Promise<void> {
    return this.#write((store) => store.clear());
  }

  #write(change: (store: IDBObjectStore) => IDBRequest): Promise<void> {
    const next = this.#written.then(async () => {
      const database = await this.#database;
      if (database) await settled(change(database.transaction(STORE, "readwrite").objectStore(STORE)));
    });
    this.#written = next.catch(() => undefined);
    return this.#written;
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settled(request);
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
