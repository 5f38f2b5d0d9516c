import type { Task } from "vouch/extend";

export const echo: Task<object, object>;
export const spin: Task<{ milliseconds: number }, number>;
export const double: Task<{ number: number }, { result: number; seconds: number }>;
export const crash: Task<object, unknown>;
export const refuse: Task<object, unknown>;
