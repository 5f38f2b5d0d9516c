/** A field of a message on the wire: its number, and an integer, four bytes or a span of bytes. */
export interface WireField {
  readonly field: number;
  readonly value: bigint | Uint8Array;
}

/** Reads the fields of a message of protocol buffers, straight from the specification of the wire format. */
export function wireFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= bytes.length || shift > 63n) throw new RangeError(`A varint does not end at ${at}.`);
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  const span = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new RangeError(`A field of ${length} bytes goes beyond the end.`);
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const field = Math.floor(key / 8);
    if ((key & 7) === 0) fields.push({ field, value: varint() });
    else if ((key & 7) === 2) fields.push({ field, value: span(Number(varint())) });
    else if ((key & 7) === 5) fields.push({ field, value: span(4) });
    else throw new RangeError(`Wire type ${key & 7}.`);
  }
  return fields;
}

/** Returns all values of a field that are spans of bytes. */
export function spansOf(bytes: Uint8Array, field: number): Uint8Array[] {
  return wireFields(bytes).flatMap((each) =>
    each.field === field && each.value instanceof Uint8Array ? [each.value] : [],
  );
}

/** Returns all values of a field as texts. */
export function textsOf(bytes: Uint8Array, field: number): string[] {
  return spansOf(bytes, field).map((span) => new TextDecoder().decode(span));
}
