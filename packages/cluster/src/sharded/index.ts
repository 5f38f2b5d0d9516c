/**
 * Train on rows that are divided among processes or machines, which talk through Redis.
 *
 * @packageDocumentation
 */
export { joinShards } from "./join-shards.js";
export { Mailbox, type MailboxOptions } from "./mailbox.js";
