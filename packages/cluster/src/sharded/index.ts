/**
 * Train on shards of the rows, in processes or on machines that meet at a Redis server.
 *
 * @packageDocumentation
 */
export { joinShards } from "./join-shards.js";
export { Mailbox, type MailboxOptions } from "./mailbox.js";
