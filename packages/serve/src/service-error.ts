import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Maximum length of a message, which may quote an arbitrarily long part of a request. */
const LONGEST_MESSAGE = 500;

/** An error status with a message, which is truncated. */
export class ServiceError extends Error {
  override readonly name = "HttpFault";
  readonly status: number;
  readonly hint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { readonly hint?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(shortened(message));
    this.status = status;
    this.hint = options.hint === undefined ? undefined : shortened(options.hint);
    this.headers = options.headers ?? {};
  }
}

/** Truncates a string, but not within a character. */
function shortened(text: string): string {
  if (text.length <= LONGEST_MESSAGE) return text;
  return `${text.slice(0, LONGEST_MESSAGE - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Errors of Fastify and Node about the request itself, by code. */
const REQUEST_FAULTS: Readonly<Record<string, readonly [status: number, message: string, hint: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    415,
    "The request has an unreadable Content-Type.",
    "Send Content-Type: application/json.",
  ],
  // Nobody will read the answer, but it is not a server error.
  ECONNRESET: [400, "The request ended early.", "Send all of it."],
  FST_ERR_MAX_PARAM_LENGTH: [404, "No model has a name this long.", "GET / lists the models."],
  FST_ERR_BAD_URL: [400, "The address is not a valid URL.", "Encode special characters as %XX."],
  FST_ERR_ASYNC_CONSTRAINT: [400, "The request has unusable headers.", "Leave out Accept-Version."],
};

/** Converts an error into an answer; undefined for an internal error, whose details stay in the log. */
export function toServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof VouchError) return faultOfVouch(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!Object.hasOwn(REQUEST_FAULTS, code)) return undefined;
  const [status, message, hint] = REQUEST_FAULTS[code];
  return new ServiceError(status, message, { hint });
}

function faultOfVouch({ code, message, hint }: VouchError): ServiceError | undefined {
  const words = hint === undefined ? {} : { hint };
  if (code === "data/too-large") return new ServiceError(413, message, words);
  if (code.startsWith("data/") || code.startsWith("option/")) return new ServiceError(400, message, words);
  if (code === "learner/unsupported" || code === "model/no-probabilities") {
    return new ServiceError(400, message, words);
  }
  if (code === "run/interrupted") return new ServiceError(408, "The client has disconnected.");
  if (code.startsWith("memory/")) {
    return new ServiceError(413, "The request needs more memory than the server has.", {
      hint: "Send fewer rows at once.",
    });
  }
  return undefined;
}
