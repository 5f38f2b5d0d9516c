/** Calls that are being received at the same time; large ones also share the memory of large requests. */
const MOST_RECEIVING = 256;

interface ReceivedCall {
  readonly connection: object;
  refuse(): void;
}

/**
 * Shares the places of calls that are being received: a new call always gets one. If there is none left, it comes from the connection
 * with the most, whose oldest call is refused. A client that does not send its calls to the end thus takes no place from the others.
 */
export class ReceivingPlaces {
  readonly #calls = new Set<ReceivedCall>();

  /** Takes a place for a call of a connection until the returned function is called. */
  enter(connection: object, refuse: () => void): () => void {
    const call = { connection, refuse };
    this.#calls.add(call);
    if (this.#calls.size > MOST_RECEIVING) this.#refuseOne();
    return () => this.#calls.delete(call);
  }

  #refuseOne(): void {
    const counts = new Map<object, number>();
    for (const { connection } of this.#calls) counts.set(connection, (counts.get(connection) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const call of this.#calls) {
      if (counts.get(call.connection) !== most) continue;
      this.#calls.delete(call);
      call.refuse();
      return;
    }
  }
}
