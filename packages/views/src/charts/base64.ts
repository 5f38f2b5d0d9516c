/** Writes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  // A function call takes a limited number of arguments. Groups of three bytes need no padding between them.
  const size = 3 * 8192;
  const blocks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    btoa(String.fromCharCode(...bytes.subarray(i * size, (i + 1) * size))),
  );
  return blocks.join("");
}
