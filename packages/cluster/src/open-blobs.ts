import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BlobStore } from "./blob-store.js";
import { RedisBlobs } from "./redis-blobs.js";
import type { RedisConnection } from "./redis-connection.js";

/** Opens a blob store: a folder (`DIR` or `file:…`), a bucket (`s3://…`), or by default Redis itself. */
export async function openBlobs(place: string | undefined, redis: RedisConnection): Promise<BlobStore> {
  // Uses a second connection, so that short commands do not wait for long blobs.
  if (place === undefined) return new RedisBlobs(redis.duplicate(), redis.keySpace);
  if (place.startsWith("s3:")) return new (await import("./s3-blobs.js")).S3Blobs(place);
  const folder = place.startsWith("file:") ? fileURLToPath(place) : resolve(place);
  return (await import("./folder-blobs.js")).FolderBlobs.open(folder);
}
