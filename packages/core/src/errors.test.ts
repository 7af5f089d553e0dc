import { expect, test } from "vitest";
import { ERRORS, failure, isErrorCode } from "./errors.ts";

const CONTRACT =
  "config_invalid state_invalid_json state_too_large state_too_deep number_not_exact duplicate_key " +
  "stdout_not_json_object stdout_unknown_field stdout_too_large stdout_not_utf8 stderr_too_large decision_invalid " +
  "summary_invalid summary_too_long exit_nonzero spawn_failed body_state_missing subflow_contract subflow_recursive " +
  "subflow_paused nested_wait_unsupported loop_max_iterations loop_timeout loop_failed checkpoint_corrupt " +
  "resume_conflict run_cancelled node_failed placeholder_blank agent_failed agent_not_configured worker_lost not_found " +
  "request_invalid input_unknown body_too_large flow_invalid idempotency_conflict run_terminal unauthorized forbidden " +
  "unavailable delay_invalid input_reserved body_failed state_missing condition_unevaluable body_not_one";

test("section 1.11: every code of the contract is in the registry", () => {
  for (const code of CONTRACT.split(" ")) expect([code, isErrorCode(code)]).toEqual([code, true]);
});

test("codes are snake case and every entry says what happened and what to do", () => {
  for (const [code, entry] of Object.entries(ERRORS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    expect(entry.text).toMatch(/^[A-Z].+\.$/);
    expect(entry.advice).toMatch(/^[A-Z].+\.$/);
    expect(entry.httpStatus).toBeGreaterThanOrEqual(400);
  }
  expect(isErrorCode("toString")).toBe(false);
});

test.each([
  ["state_too_large", 413],
  ["body_too_large", 413],
  ["input_unknown", 422],
  ["input_invalid", 422],
  ["config_invalid", 422],
  ["idempotency_conflict", 409],
  ["resume_conflict", 409],
  ["run_terminal", 409],
  ["method_not_allowed", 405],
  ["precondition_failed", 412],
  ["unavailable", 503],
])("section 3.4, L-10, S-15: %s answers %i", (code, status) => {
  expect(isErrorCode(code) && ERRORS[code].httpStatus).toBe(status);
});

test("a failure is plain data, not yet placed, and leaves details out when there are none", () => {
  expect(failure("loop_failed", "nope")).toEqual({
    code: "loop_failed",
    message: "nope",
    node: null,
    iteration: null,
  });
  expect("details" in failure("loop_failed", "nope")).toBe(false);
  expect(failure("exit_nonzero", "3", { exitCode: 3 }).details).toEqual({ exitCode: 3 });
});
