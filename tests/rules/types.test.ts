// What the compiler holds: these lines are errors, or `npm run types` fails.
import { expect, test } from "vitest";
import {
  defineDependencyFileRule,
  defineMachineRule,
  dependencyFileSide,
  describeRule,
  machineSide,
} from "../../packages/core/src/rules/rule.ts";

const page = { what: "", why: "", how: "", fix: "", observed: "" };
const head = { id: "example", title: "", cause: "two-copies", severity: "warning", page } as const;
const draft = { subject: "", message: "", because: [], advice: [] };
const place = { file: "requirements.txt", line: 1 };

test("a rule of one side says why it has no other", () => {
  // @ts-expect-error: why are dependency files not judged?
  defineMachineRule({ ...head, finds: () => [] });
  // @ts-expect-error: a reason for one kind of machine is none for dependency files
  defineMachineRule({ ...head, notOn: { image: "the kernel is the host's" }, finds: () => [] });
  // @ts-expect-error: why are machines not judged?
  defineDependencyFileRule({ ...head, notOn: {}, finds: () => [] });
  // @ts-expect-error: a rule of both sides has no reason to be silent on one
  describeRule({ ...head, notOn: { "dependency-file": "it has a side for them" } });
  expect(defineMachineRule({ ...head, notOn: { "dependency-file": "it is seen on the disk only" } }).side).toBe("machine");
});

test("a finding is never worse than its rule, and has its cause, unless the rule says so", () => {
  const rule = describeRule(head);
  machineSide(rule, { finds: () => [{ ...draft, severity: "info" }] });
  // @ts-expect-error: an error of a rule that warns
  machineSide(rule, { finds: () => [{ ...draft, severity: "error" }] });
  // @ts-expect-error: an error of a rule that warns
  dependencyFileSide(rule, { finds: () => [{ ...draft, place, severity: "error" }] });
  // @ts-expect-error: a cause that is not the rule's
  dependencyFileSide(rule, { finds: () => [{ ...draft, place, cause: "library-missing" }] });
  // @ts-expect-error: of a file, a finding says where
  dependencyFileSide(rule, { finds: () => [draft] });
  const other = describeRule({ ...head, otherCauses: ["library-missing"] });
  const side = dependencyFileSide(other, { finds: () => [{ ...draft, place, cause: "library-missing" }] });
  expect(side).toMatchObject({ side: "dependency-file", id: "example", cause: "two-copies" });
});
