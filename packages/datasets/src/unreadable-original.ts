/** The bytes of an original are not what the catalogue says they are; the message says where and how. */
export class UnreadableOriginal extends Error {
  override readonly name = "UnreadableOriginal";
}
