import os from "node:os";
import { namingFiles, privateNamesIn, type Examination, type PrivateNames } from "@culprit/core";

/** Names that must not get into what is handed on: those of the target's own users, and of whoever looks. */
export async function privateNames(examination: Examination | undefined): Promise<PrivateNames> {
  if (!examination) return ownNames();
  const { collector, view } = examination;
  await collector?.fetch(namingFiles.map((path) => ({ path, as: "text" })));
  const { people, hosts } = privateNamesIn(collector?.snapshot ?? view.snapshot);
  const { kind } = view.snapshot.target;
  // What this machine and its user are called is not in the facts, but may be part of a path.
  const own = kind === "root" || kind === "image" ? {} : ownNames();
  return { people: [...people, ...(own.people ?? [])], hosts: [...hosts, ...(own.hosts ?? [])] };
}

function ownNames(): PrivateNames {
  const host = os.hostname();
  const hosts = [host, host.split(".")[0]!];
  try {
    return { people: [os.userInfo().username], hosts };
  } catch {
    // A user without an entry in /etc/passwd.
    return { people: [], hosts };
  }
}
