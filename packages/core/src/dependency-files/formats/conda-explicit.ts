// `conda list --explicit` writes addresses below `@EXPLICIT`; `conda list --export` writes `name=version=build`.
import type { Declaration, Install, DeclaredStep } from "../../model/dependency-file.ts";
import { placeAt, splitLines } from "../lines.ts";
import { channelOf } from "../conda-spec.ts";
import { bareInstall, readPackage } from "../packages.ts";
import { defineFormat, endsWith, isShared } from "../format.ts";

export default defineFormat({
  id: "conda-explicit",
  words: "conda's spec-file.txt",
  place: 11,
  signs: [
    { by: "line", is: ({ head }) => /^[ \t]*@EXPLICIT[ \t\r]*$/m.test(head) },
    {
      // What `conda list --export` prints, often under pip's name.
      by: "ending",
      is: ({ name, head }) =>
        !isShared(name) &&
        (endsWith(".txt", ".in", ".pip", ".reqs")(name) || /requirements|constraints/.test(name)) &&
        /^[a-z0-9_.-]+=[^=\s]+=\S+\s*$/m.test(head) &&
        !/^[\w.-]+\s*(==|>=|~=)/m.test(head),
    },
  ],
  read: readCondaExplicit,
  example: {
    file: "spec-file.txt",
    text: "@EXPLICIT\nhttps://conda.anaconda.org/pytorch/linux-64/pytorch-2.4.1-py3.11_cuda12.4_cudnn9.1.0_0.tar.bz2\n",
  },
});

function readCondaExplicit(text: string, file: string): Declaration {
  const place = placeAt(file, 1);
  const conda: Install = {
    kind: "install",
    manager: "conda",
    packages: [],
    ...bareInstall(),
    isLocked: true,
    place,
  };
  const pip: Install = { ...conda, manager: "pip", packages: [] };
  const steps: DeclaredStep[] = [conda, pip];
  const declaration: Declaration = { format: "conda-explicit", file, steps, unknown: [] };
  for (const [index, raw] of splitLines(text).entries()) {
    const line = raw.trim();
    // `conda-lock` lists packages of pip as comments.
    const [, listed] = /^# pip (\S+ @ \S+)/.exec(line) ?? [];
    if (listed !== undefined) {
      const found = readPackage(listed, placeAt(file, index + 1));
      if (found && !("problem" in found)) pip.packages.push(found);
      continue;
    }
    if (line === "" || line.startsWith("#") || line === "@EXPLICIT") continue;
    const named =
      /^\w+:\/\/\S*\/([^/\s]+?)-([^/\s-]+)-([^/\s-]+?)\.(?:conda|tar\.bz2)(?:#\S*)?$/.exec(line) ??
      /^([\w.-]+)=([^=\s]+)=(\S+)$/.exec(line);
    if (!named) continue;
    const [name, version, build] = named.slice(1).map((each) => each.replaceAll("%21", "!").replaceAll("%2B", "+")) as [
      string,
      string,
      string,
    ];
    const at = placeAt(file, index + 1, 1, raw.length);
    if (name === "python") steps.unshift({ kind: "python", specifier: `==${version}`, place: at });
    else if (build === "pypi_0" || build === "pypi")
      pip.packages.push({ name, extras: [], specifier: `==${version}`, text: line, place: at });
    else {
      const channel = channelOf(line);
      conda.packages.push({
        name,
        extras: [],
        specifier: `==${version}`,
        build,
        ...(channel === undefined ? {} : { channel }),
        text: `${name}=${version}=${build}`,
        place: at,
      });
    }
  }
  return declaration;
}
