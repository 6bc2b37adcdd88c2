import { adviceLine } from "../lib/shell.ts";
import type { Check } from "../model/check.ts";
import type { Finding } from "../model/finding.ts";
import { processes } from "./affected.ts";
import { endOf } from "./said.ts";

/** The answer as `culprit/check@1` had it, for one more release: programs that read it have time to change. */
export function checkOne({ target, assumed, judged, readiness, unknown, findings, accepted }: Check): object {
  return {
    schema: "culprit/check@1",
    target,
    ...(assumed ? { assumed } : {}),
    examined: processes(judged).map((programs) => ({
      programs: programs.map(({ program }) => program),
      versions: programs.map(({ version = "" }) => version),
      ...(programs[0]!.environment === undefined ? {} : { environment: programs[0]!.environment }),
      activities: programs[0]!.activities,
    })),
    ...(readiness ? { readiness } : {}),
    unknown: unknown.map(({ subject, reason }) => ({ subject, reason })),
    findings: findings.map(findingOne),
    accepted: accepted.map(({ finding, reason }) => ({ finding: findingOne(finding), reason })),
  };
}

function findingOne(finding: Finding): object {
  const { facts: _facts, because, advice, ...rest } = finding;
  return {
    ...rest,
    because: [...because, ...endOf(finding).map((text) => `it ends with: ${text}`)],
    advice: advice.map(adviceLine),
  };
}
