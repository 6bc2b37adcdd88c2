import { nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, linkFolderOf, withFolder } from "../fixes.ts";

// Which package of AMD's repository has it: names as `apt-get` takes them for ROCm 7.2.4 (a public recipe that upgrades all of them); older
// releases were not compared.
const packages: [pattern: RegExp, package_: string][] = [
  [/^libhsa-amd-aqlprofile/, "hsa-amd-aqlprofile"],
  [/^lib(?:roctracer|roctx|tracer_tool|roctracer_tool|kfdwrapper)/, "roctracer"],
  [/^librocprofiler-sdk/, "rocprofiler-sdk"],
  [/^librocprofiler-register/, "rocprofiler-register"],
  [/^librocprof/, "rocprofiler"],
  [/^libhsa-runtime/, "hsa-rocr"],
  [/^lib(?:amdhip|hiprtc)/, "hip-runtime-amd"],
  [/^librocm_smi/, "rocm-smi-lib"],
  [/^libamd_smi/, "amd-smi-lib"],
  [/^libamd_comgr/, "comgr"],
  [/^librccl/, "rccl"],
  [/^libMIOpen/i, "miopen-hip"],
  [/^lib(?<name>(?:roc|hip)(?:blas|sparse|solver|fft|rand|blaslt))\b/, ""],
];

export const ofRocm = /^lib(?:hsa-|amdhip|hip|roc|amd_|MIOpen|rccl|kfdwrapper|tracer_tool|hsakmt)|^amdhip/i;

/** A library of AMD's ROCm that the loader did not find. */
export default function rocmLibrary(facts: Facts): Problem[] {
  const linked = facts
    .notices("rocm-link")
    .filter(({ subject, found }) => numberOf(subject!) !== numberOf(found!) && numberOf(found!) !== undefined);
  const lost = facts.all("not-found").filter(({ name, at }) => ofRocm.test(nameOf(name)) || /\/opt\/rocm/.test(at.text));
  const [first] = lost;
  if (0 < linked.length) return [madeByHand(linked, lost)];
  if (!first) return [];
  const name = nameOf(first.name);
  const package_ = packageOf(name);
  const release = /\/opt\/(rocm-\d[\d.]*\d)/.exec(first.at.text)?.[1];
  const folder = `/opt/${release ?? "rocm"}/lib`;
  const base = {
    name,
    required: name,
    evidence: lost.slice(0, 3) satisfies Fact[],
    certainty: "possible" as const,
    next: [`find /opt/rocm* -name '${name.split(".so")[0]}*'`, "ls -d /opt/rocm*"],
  };
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    message: `\`${name}\` of ROCm is not installed${package_ === undefined ? "" : `: it comes with \`${package_}\``}`,
    fixes: [
      package_ === undefined
        ? fix("install the package of ROCm that has it")
        : fix("install it from AMD's repository, in the release of the ROCm that is there", `sudo apt-get install ${package_}`),
    ],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    message: "or it lies where the program does not look: releases of ROCm moved their libraries",
    // The linker asks another variable than the loader.
    fixes: [first.by === "ld" ? linkFolderOf(name) : withFolder(folder)],
  };
  const other: Suspect = {
    ...base,
    cause: "library-wrong-version",
    message: "or parts of two releases of ROCm are mixed, and one looks for what the other does not have",
    fixes: [fix("keep one release of ROCm, and install all of its parts from it")],
  };
  const apart = otherRelease(name, facts) ?? otherNumber(name, facts);
  return [
    {
      weight: weights.failed,
      symptom: `\`${name}\` is not found`,
      suspects: apart
        ? [
            { ...base, ...apart },
            { ...missing, message: `or ${missing.message}` },
          ]
        : [missing, path, other],
    },
  ];
}

const numberOf = (name: string): string | undefined => /\.so\.(\d{1,3})/.exec(name)?.[1];

/** The same library lies there with another number: it is of another release of ROCm. */
function otherNumber(name: string, facts: Facts): ReturnType<typeof otherRelease> {
  const stem = name.split(".so")[0]!;
  const there = facts.notices("rocm-file").flatMap(({ subject }) => (subject!.split(".so")[0] === stem ? [subject!] : []));
  if (there.length === 0 || there.includes(name) || numberOf(name) === undefined) return undefined;
  const release = facts.notices("rocm-of-system")[0]?.subject;
  return {
    cause: "library-wrong-version",
    certainty: "likely",
    required: name,
    found: `${there[0]}${release === undefined ? "" : ` (ROCm ${release})`}`,
    message: `what asks for \`${name}\` was built with another release of ROCm: \`${there[0]}\` is here, whose number says that the two do not serve each other`,
    fixes: byRelease,
  };
}

const byRelease = [
  fix(
    "take a build for the ROCm that is here, or the ROCm it was built for; PyTorch's wheels from its index bring their own, and need AMD's driver alone",
  ),
];

/** A link under another number makes the loader content, and the program calls what is not there, or is otherwise. */
function madeByHand(linked: Fact<"notice">[], lost: Fact[]): Problem {
  const { subject, found } = linked[0]!;
  return {
    weight: weights.said,
    suspects: [
      {
        cause: "library-wrong-version",
        name: subject!,
        required: subject!,
        found: `${found} under its name`,
        certainty: "likely",
        message: `a link gives \`${found}\` the name \`${subject}\`: the numbers differ because the two releases do not serve each other`,
        evidence: [...linked.slice(0, 2), ...lost.slice(0, 2)],
        next: [`ls -l /opt/rocm*/lib/${subject!.split(".so")[0]}.so*`],
        fixes: [fix("take the link away again", `sudo rm /opt/rocm/lib/${subject}`), ...byRelease],
      },
    ],
  };
}

/** HIP's own libraries carry the number of their ROCm: those of ROCm 3 to 7 end so. */
function otherRelease(
  name: string,
  facts: Facts,
): Pick<Suspect, "cause" | "certainty" | "required" | "found" | "message" | "fixes"> | undefined {
  const wanted = /^lib(?:amdhip64|hiprtc)\.so\.([3-7])\b/.exec(name)?.[1];
  const [here] = facts.notices("rocm-of-wheel", "rocm-of-system");
  if (wanted === undefined || here?.subject === undefined || here.subject.startsWith(`${wanted}.`)) return undefined;
  const major = here.subject.split(".")[0]!;
  return {
    cause: "library-wrong-version",
    certainty: "likely",
    required: `ROCm ${wanted}`,
    found: `ROCm ${here.subject}`,
    message: `what asks for \`${name}\` is built for ROCm ${wanted}, and ROCm ${here.subject} is here, whose library ends in .${major}`,
    fixes: [
      fix(`take its build for ROCm ${major}, or build it on the spot`),
      fix(`or take PyTorch and ROCm of the release it was built for: ROCm ${wanted}`),
    ],
  };
}

function packageOf(name: string): string | undefined {
  for (const [pattern, package_] of packages) {
    const match = pattern.exec(name);
    if (match) return package_ === "" ? match.groups!["name"]! : package_;
  }
  return undefined;
}
