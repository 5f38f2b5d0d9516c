/** A binary heap: the item that compares smallest comes out first. */
export class PriorityQueue<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];

  /** `compare` must tell any two items apart, so that the order in which they went in does not matter. */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The smallest item, which stays. */
  get first(): Item | undefined {
    return this.#items.at(0);
  }

  /** What is in the queue, in no order. */
  get items(): readonly Item[] {
    return this.#items;
  }

  push(item: Item): void {
    const items = this.#items;
    let place = items.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#compare(items[parent], item) <= 0) break;
      items[place] = items[parent];
      place = parent;
    }
    items[place] = item;
  }

  /** Takes the smallest item out. */
  pop(): Item | undefined {
    const items = this.#items;
    const first = items.at(0);
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item in the place of the first one, and from there where it belongs. */
  #sink(item: Item): void {
    const items = this.#items;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1], items[child]) < 0) child++;
      if (this.#compare(item, items[child]) <= 0) break;
      items[place] = items[child];
      place = child;
    }
    items[place] = item;
  }
}
