import { describe, expect, it } from "vitest";
import { defineTask, findTask, taskFailure } from "#core/runtime/parallel/task.js";
import { VouchError } from "#core/runtime/vouch-error.js";

describe("defineTask", () => {
  const double = (x: number) => 2 * x;

  it("registers a task under its id", () => {
    const task = defineTask("test/double", double, "file:///somewhere.js");
    expect(task).toMatchObject({ id: "test/double", run: double, module: "file:///somewhere.js" });
    expect(findTask("test/double")).toBe(task);
    expect(findTask("test/triple")).toBeUndefined();
  });

  it("accepts the same function twice, but no other one under the same id", () => {
    defineTask("test/twice", double);
    expect(() => defineTask("test/twice", double)).not.toThrow();
    expect(() => defineTask("test/twice", (x: number) => 3 * x)).toThrow(
      expect.objectContaining({ code: "option/invalid", message: expect.stringContaining("test/twice") }),
    );
    expect(findTask("test/twice")?.run).toBe(double);
  });
});

describe("taskFailure", () => {
  it("leaves errors of vouch as they are and names task and input of all others", () => {
    const error = new VouchError("data/empty", "Nothing there.");
    expect(taskFailure({ id: "t" }, 0, 1, error)).toBe(error);
    const cause = new TypeError("no such thing");
    expect(taskFailure({ id: "t" }, 2, 5, cause)).toMatchObject({
      code: "task/failed",
      message: 'Task "t" failed on input 3 of 5: no such thing',
      cause,
    });
    expect(taskFailure({ id: "t" }, 0, 1, undefined).message).toContain("undefined");
  });
});
