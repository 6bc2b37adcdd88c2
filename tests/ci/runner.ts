// As much of a runner of GitHub Actions as a composite action needs: inputs, conditions, environment files, steps in bash.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { load } from "js-yaml";

interface Step {
  name: string;
  id?: string;
  if?: string;
  shell?: string;
  run?: string;
  uses?: string;
  with?: { [name: string]: string };
  env?: { [name: string]: string };
}

export interface Action {
  inputs: { [name: string]: { description: string; default: string } };
  outputs: { [name: string]: { value: string } };
  runs: { using: string; steps: Step[] };
}

export const readAction = (): Action => load(fs.readFileSync("action.yml", "utf8")) as Action;

export interface Ran {
  /** Steps that ran, each with how it ended. */
  steps: { name: string; status: number | null }[];
  failed: boolean;
  /** Actions of others that it would have used. */
  used: { action: string; with: { [name: string]: string } }[];
  printed: string;
  summary: string;
  outputs: { [name: string]: string };
}

/** Runs the action with these inputs in a folder; `folder` has a program `gh` of the test. */
export function runAction(given: { [name: string]: string }, cwd: string, temp: string, pullRequest = ""): Ran {
  const action = readAction();
  for (const name of Object.keys(given)) if (!(name in action.inputs)) throw new Error(`the action has no input ${name}`);
  const values: { [name: string]: string } = {
    "github.event.pull_request.number": pullRequest,
    "github.token": "token",
    "runner.temp": temp,
    "runner.os": "Linux",
  };
  for (const [name, input] of Object.entries(action.inputs)) values[`inputs.${name}`] = String(given[name] ?? input.default);
  const filled = (text: string): string => text.replaceAll(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => filled(values[name] ?? ""));
  const ran: Ran = { steps: [], used: [], failed: false, printed: "", summary: "", outputs: {} };
  const summary = path.join(temp, "summary.md");
  fs.writeFileSync(summary, "");
  for (const step of action.runs.steps) {
    // Whatever failed before, later steps without a condition of their own do not run.
    if (ran.failed || !holds(step.if, values)) continue;
    if (step.uses !== undefined) {
      ran.used.push({
        action: step.uses,
        with: Object.fromEntries(Object.entries(step.with ?? {}).map(([key, value]) => [key, filled(value)])),
      });
      continue;
    }
    const output = path.join(temp, `output-${ran.steps.length}`);
    fs.writeFileSync(output, "");
    const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run!], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: `${temp}:${process.env["PATH"]}`,
        HOME: temp,
        GITHUB_ACTION_PATH: path.resolve("."),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_REPOSITORY: "owner/project",
        GITHUB_SHA: "0123456789",
        GITHUB_REF: "refs/pull/7/merge",
        RUNNER_TEMP: temp,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(String(value))])),
      },
    });
    ran.steps.push({ name: step.name, status });
    ran.printed += stdout + stderr;
    ran.failed ||= status !== 0;
    for (const line of fs.readFileSync(output, "utf8").trimEnd().split("\n"))
      if (step.id !== undefined) values[`steps.${step.id}.outputs.${line.split("=")[0]}`] = line.slice(line.indexOf("=") + 1);
  }
  ran.summary = fs.readFileSync(summary, "utf8");
  ran.outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)]));
  return ran;
}

/** `a == 'x' && b != ''`, which is all that the action uses. */
function holds(condition: string | undefined, values: { [name: string]: string }): boolean {
  return (condition ?? "").split("&&").every((part) => {
    const [, name = "", operator, text = ""] = /^\s*([\w.-]*)\s*(?:(==|!=)\s*'([^']*)')?\s*$/.exec(part)!;
    const value = values[name] ?? "";
    if (name === "") return true;
    return operator === undefined ? value !== "" : (value === text) === (operator === "==");
  });
}
