import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { AwsClient } from "aws4fetch";
import { type BlobStore, missingBlob } from "./blob-store.js";
import type { BlobRef } from "./codec.js";

/** A location in an S3-compatible store. */
interface Bucket {
  /** URL prefix of objects, ending with a slash. */
  readonly base: string;
  readonly title: string;
  readonly region: string;
}

/**
 * Stores blobs in an S3-compatible store, addressed by `s3://bucket/prefix?endpoint=https://host&region=name`.
 * Credentials come from the usual environment variables: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if needed,
 * AWS_SESSION_TOKEN. A rule of the bucket removes old blobs.
 */
export class S3Blobs implements BlobStore {
  readonly title: string;
  readonly #bucket: Bucket;
  readonly #client: AwsClient;

  constructor(url: string, environment: NodeJS.ProcessEnv = process.env) {
    this.#bucket = bucketOf(url, environment);
    this.title = this.#bucket.title;
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
      throw new VouchError("cluster/blob", `There are no keys for ${this.title}.`, {
        hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
      });
    }
    this.#client = new AwsClient({
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
      region: this.#bucket.region,
      service: "s3",
      retries: 4,
    });
  }

  async hold(ref: BlobRef): Promise<boolean> {
    const response = await this.#send(ref, { method: "HEAD" });
    if (response.status === 404) return false;
    if (!response.ok) throw await this.#refused(response);
    return Number(response.headers.get("content-length")) === ref.bytes;
  }

  async put(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    const response = await this.#send(ref, {
      method: "PUT",
      // fetch does not accept shared memory.
      body: Uint8Array.from(bytes),
      headers: { "content-length": String(bytes.length) },
    });
    await response.arrayBuffer();
    if (!response.ok) throw await this.#refused(response);
  }

  async get(ref: BlobRef): Promise<SharedArrayBuffer> {
    const response = await this.#send(ref, { method: "GET" });
    if (response.status === 404) throw missingBlob(ref, this.title);
    if (!response.ok || !response.body) throw await this.#refused(response);
    const buffer = new SharedArrayBuffer(ref.bytes);
    const bytes = new Uint8Array(buffer);
    let at = 0;
    for await (const part of response.body) {
      if (at + part.length > ref.bytes) throw missingBlob(ref, this.title);
      bytes.set(part, at);
      at += part.length;
    }
    if (at !== ref.bytes) throw missingBlob(ref, this.title);
    return buffer;
  }

  async renew(): Promise<void> {}

  async release(): Promise<void> {}

  async #send({ hash }: BlobRef, request: RequestInit): Promise<Response> {
    try {
      return await this.#client.fetch(`${this.#bucket.base}${hash}`, request);
    } catch (cause) {
      throw new VouchError("cluster/blob", `${this.title} cannot be reached: ${String(cause)}.`, { cause });
    }
  }

  async #refused(response: Response): Promise<VouchError> {
    return new VouchError(
      "cluster/blob",
      `${this.title} returned ${response.status} ${response.statusText}.`,
      {
        hint: "Check the name of the bucket, the region, the keys and their permissions.",
      },
    );
  }
}

function bucketOf(url: string, environment: NodeJS.ProcessEnv): Bucket {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const endpoint = parsed?.searchParams.get("endpoint") ?? environment.AWS_ENDPOINT_URL;
  const region = parsed?.searchParams.get("region") ?? environment.AWS_REGION ?? "us-east-1";
  if (parsed?.protocol !== "s3:" || !parsed.hostname || (endpoint && !URL.canParse(endpoint))) {
    throw new VouchError("option/invalid", `--blobs must be a folder or an S3 address, not "${url}".`, {
      hint: "Write s3://bucket/prefix?endpoint=https://host&region=name.",
    });
  }
  const bucket = parsed.hostname;
  const prefix = parsed.pathname.replace(/^\/|\/$/g, "");
  const root = endpoint
    ? `${endpoint.replace(/\/$/, "")}/${bucket}/`
    : `https://${bucket}.s3.${region}.amazonaws.com/`;
  return { base: `${root}${prefix && `${prefix}/`}`, title: `S3 bucket ${bucket}`, region };
}
