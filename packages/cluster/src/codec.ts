/**
 * Encodes the values that machines exchange as bytes: null, undefined, booleans, numbers, strings, lists, plain objects
 * and typed arrays. Long arrays and long lists of strings are not part of the message but blobs, named by their
 * content. Decoding creates only these values. Every length is checked against the remaining bytes, and a value takes
 * at least a byte, so a message cannot ask for more memory than a small multiple of its size.
 */
export { blobsIn, decodeValue } from "./decode-value.js";
export { encodeValue, outOfBand } from "./encode-value.js";
export { type BlobRef, LEAST_BLOB, MOST_MESSAGE } from "./value-format.js";
