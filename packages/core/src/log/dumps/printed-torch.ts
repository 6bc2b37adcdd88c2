import type { Draft } from "../fact.ts";
import type { Signature } from "../signature.ts";

/** What `print(torch.__version__, torch.version.cuda, torch.cuda.is_available())` leaves: a line of values, without a name. */
export default [
  {
    literals: ["true", "false"],
    pattern:
      /^[\s>('"`]{0,6}(?<version>\d\.\d{1,2}\.\d[\w.]{0,30}(?:\+(?:cu(?<label>\d{2,3})|(?<cpu>cpu)|rocm[\d.]{1,7}))?)['"]?,? {1,2}(?:['"]?(?<cuda>\d{1,2}\.\d{1,2}|None)[\d.]{0,16}['"]?,? {1,2}){0,2}(?<value>True|False)\b[)'"`\s]{0,4}$/,
    examples: ["2.0.0+cu117 None False", "('2.4.1+cu121', '12.1', True)", "2.5.1+cpu None False", "2.4.1 12.1 True"],
    facts: ({ version, label, cpu, cuda, value }) => {
      // Without a label or a CUDA these may be anybody's numbers.
      if (!version!.includes("+") && cuda === undefined) return [];
      const built =
        label === undefined ? (cuda === "None" || version!.includes("rocm") ? undefined : cuda) : `${label.slice(0, -1)}.${label.at(-1)}`;
      return [
        {
          kind: "framework",
          id: "torch",
          version: version!,
          ...(cpu !== undefined || (cuda === "None" && !version!.includes("+"))
            ? { cpuOnly: true }
            : built === undefined
              ? {}
              : { cuda: built }),
        },
        { kind: "available", by: "torch", value: value === "True" },
      ] satisfies Draft[];
    },
  },
  {
    // The same in the other order: `print(torch.cuda.is_available(), torch.__version__)`.
    literals: ["true ", "false ", "true,", "false,"],
    pattern:
      /^[\s>('"`]{0,6}(?<value>True|False)['"]?,? {1,2}['"]?(?<version>[12]\.\d{1,2}\.\d[\w.]{0,30}\+(?:cu(?<label>\d{2,3})|(?<cpu>cpu)|rocm[\d.]{1,7}))['"]?(?: (?:['"]?\d{1,2}\.\d{1,2}['"]?|None))?[)'"`\s]{0,4}$/,
    examples: ["False 2.6.0+cpu", "(True, '2.4.1+cu121')"],
    facts: ({ value, version, label, cpu }) => [
      {
        kind: "framework",
        id: "torch",
        version: version!,
        ...(cpu === undefined ? {} : { cpuOnly: true }),
        ...(label === undefined ? {} : { cuda: `${label.slice(0, -1)}.${label.at(-1)}` }),
      },
      { kind: "available", by: "torch", value: value === "True" },
    ],
  },
] satisfies Signature[];
