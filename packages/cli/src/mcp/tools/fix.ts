import type { Plan } from "@culprit/core";
import { findingWords } from "../finding.ts";
import { boolean, counted, list, object, string, type Tool } from "../tool.ts";

/** A plan as `culprit fix --json` prints it. */
export type NamedPlan = Plan & { digest?: string; notApplicable?: string };

export const fix: Tool<NamedPlan> = {
  name: "fix",
  title: "Plan a fix, and prove it",
  description:
    "Fixes for what `check` finds, least invasive first, each proven on a copy of the facts: the finding is gone and no other came. Changes nothing. Where the plan can be applied, `digest` names it: show the steps to the user, and give the digest to `apply` only when they agree.",
  command: "fix",
  words: [{ name: "finding", help: "a rule, or RULE:SUBJECT; absent: everything that is wrong" }],
  options: ["for", "do", "python", "target", "root", "env", "unset", "module", "driver", "gpu", "cwd", "cpu", "ldconfig", "shell"],
  data: object({
    "digest?": string("names this very plan; absent where it cannot be applied here"),
    "notApplicable?": string("why it cannot be applied here"),
    steps: list(string(), "what `apply` would do, to the letter"),
    warnings: list(string()),
    removes: list(string()),
    adds: list(string()),
    leaves: list(string()),
    findings: list(
      object({
        rule: string(),
        subject: string(),
        severity: string(),
        message: string(),
        fixes: list(
          object({
            title: string(),
            reach: string("how far it goes: command, shell, environment, user, machine"),
            safety: string(),
            commands: list(string()),
            proven: boolean("the finding is gone and no other came; else a person has to do it and look"),
          }),
        ),
        details: string("the address of all that is known about it"),
      }),
    ),
  }),
  brief: (plan, { at, step }) => ({
    summary: `${findingWords(plan.findings.map(({ severity, rule }) => ({ rule, severity: severity as "error" })))}; ${plan.chosen.length === 0 ? "no plan that can be applied" : `a plan of ${counted(plan.chosen.length, "fix").replace("fixs", "fixes")} removes ${plan.proof.removes.length} and leaves ${plan.proof.leaves.length}`}${plan.digest === undefined ? "" : "; `apply` takes its digest once the user has agreed"}`,
    data: {
      ...(plan.digest === undefined ? {} : { digest: plan.digest }),
      ...(plan.notApplicable === undefined ? {} : { notApplicable: plan.notApplicable }),
      steps: plan.chosen.flatMap(({ steps }) => steps.map(step)),
      warnings: plan.chosen.flatMap(({ warning }) => warning ?? []),
      removes: plan.proof.removes,
      adds: plan.proof.adds,
      leaves: plan.proof.leaves,
      findings: plan.findings.map(({ rule, subject, severity, message, fixes }, index) => ({
        rule,
        subject,
        severity,
        message,
        fixes: fixes.map(({ title, reach, safety, commands, proof }) => ({
          title,
          reach,
          safety,
          commands,
          proven: safety !== "display-only" && 0 < proof.removes.length,
        })),
        details: at(`/findings/${index}`),
      })),
    },
  }),
};
