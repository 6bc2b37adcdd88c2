import type { Check } from "../model/check.ts";
import { plain, type Style } from "./style.ts";

export function checkReport({ findings, unknown }: Check, style: Style = plain): string {
  const lines: string[] = [];
  for (const { message, severity } of findings) lines.push(`${severity === "error" ? style.bad("✗") : "!"} ${message}`);
  for (const { subject, reason } of unknown) lines.push(`${style.strong("cannot tell")}  \`${subject}\`: ${reason}`);
  return `${lines.join("\n")}\n`;
}
