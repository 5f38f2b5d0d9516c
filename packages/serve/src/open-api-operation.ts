/** A part of the document as JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface OperationParts {
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters?: readonly JsonSchema[];
  /** Schema of the request. */
  readonly body?: JsonSchema;
  /** Schema of the answer with status 200, if it is JSON. */
  readonly answer?: JsonSchema;
  /**
   * Answer by content type, if it is not JSON. Each operation has one type, because generated clients cannot tell
   * several apart.
   */
  readonly content?: JsonSchema;
  /** Answers with other statuses that are not errors. */
  readonly responses?: JsonSchema;
  /** Whether it needs no token. */
  readonly open?: boolean;
}

/** Refers to a schema of the document. */
export function reference(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

/** Describes an operation; all operations share the form of errors. */
export function operation(operationId: string, summary: string, parts: OperationParts): JsonSchema {
  const { tags, description, parameters, body, answer, content, responses, open } = parts;
  return {
    operationId,
    summary,
    tags,
    ...(description && { description }),
    ...(open && { security: [] }),
    parameters,
    ...(body && { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      "200": { description: "The answer.", content: answer ? jsonContent(answer) : content },
      ...responses,
      default: {
        description: "What is wrong. Try again after Retry-After seconds if the answer has this header.",
        content: jsonContent(reference("Error")),
      },
    },
  };
}

/** Describes JSON content. */
export function jsonContent(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}
