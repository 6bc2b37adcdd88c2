// Is a file that was found usable, skipped, or the end of everything? glibc elf/dl-load.c: open_verify, _dl_map_object_from_fd.
import type { FailureReason } from "../model/loads.ts";
import type { ElfFact, RegularFileFact } from "../model/snapshot.ts";
import type { Process } from "./process.ts";

export type Verdict =
  | { kind: "usable"; elf: ElfFact }
  | { kind: "skip"; because: "other-class" | "other-machine" | "newer-kernel" | "unreadable"; code: string }
  | { kind: "fatal"; reason: FailureReason; message: string };

const fatal = (reason: FailureReason, message: string): Verdict => ({ kind: "fatal", reason, message });

/** The checks before a file counts as found. `undefined`: its content is not known yet. */
export function verify(process: Process, file: string, fact: RegularFileFact): Verdict | undefined {
  if (fact.unreadable !== undefined) return { kind: "skip", because: "unreadable", code: fact.unreadable };
  const object = process.view.object(file, fact);
  if (object === undefined) return undefined;
  const own = process.loader.elf;
  if (fact.size < (own.class === 64 ? 64 : 52)) return fatal("file-too-short", "file too short");
  if (object.kind === "not-elf") return fatal("invalid-elf-header", "invalid ELF header");
  const odd = object.odd ?? {};
  if (object.class !== own.class) return { kind: "skip", because: "other-class", code: "ENOENT" };
  // Debian's and Ubuntu's loaders look at the machine before they complain: their folders may hold those of several.
  const machine = object.order === own.order ? object.machine : ((object.machine & 0xff) << 8) | (object.machine >> 8);
  if (machine !== own.machine && odd.version === undefined && process.loader.fact.lib?.includes("/"))
    return { kind: "skip", because: "other-machine", code: "ENOENT" };
  if (object.order !== own.order || odd.dataEncoding !== undefined)
    return fatal("invalid-elf-file", `ELF file data encoding not ${own.order}-endian`);
  if (odd.identVersion !== undefined) return fatal("invalid-elf-file", "ELF file version ident does not match current one");
  // 3 is GNU/Linux, under which a few ABI versions are known as well.
  if (odd.osAbi !== undefined && odd.osAbi !== 3) return fatal("invalid-elf-file", "ELF file OS ABI invalid");
  if (odd.abiVersion !== undefined && !(odd.osAbi === 3 && odd.abiVersion < 4))
    return fatal("invalid-elf-file", "ELF file ABI version invalid");
  if (odd.padding) return fatal("invalid-elf-file", "nonzero padding in e_ident");
  if (odd.version !== undefined) return fatal("invalid-elf-file", "ELF file version does not match current one");
  if (machine !== own.machine) return { kind: "skip", because: "other-machine", code: "ENOENT" };
  if (object.type !== 2 && object.type !== 3) return fatal("invalid-elf-file", "only ET_DYN and ET_EXEC can be loaded");
  // From 2.31 on this is found out later, and said of the name that was asked for instead of the path.
  if (object.type === 2 && minorVersion(process.loader.fact.version) < 31)
    return fatal("cannot-load-executable", "cannot dynamically load executable");
  if (odd.entrySize !== undefined) return fatal("invalid-elf-file", "ELF file's phentsize not the expected size");
  if (object.defect?.kind === "headers-beyond-end") return fatal("cannot-read", "cannot read file data");
  if (asksForNewerKernel(process, object)) return { kind: "skip", because: "newer-kernel", code: "ENOENT" };
  return { kind: "usable", elf: object };
}

/** The checks while it is mapped; only reached when the file is not loaded already. */
export function verifyMapping(process: Process, file: string, fact: RegularFileFact, elf: ElfFact, dlopened: boolean): Verdict {
  const { defect, flags = [] } = elf;
  const version = minorVersion(process.loader.fact.version);
  if (defect?.kind === "misaligned-segment")
    return fatal("invalid-elf-file", `ELF load command address/offset not ${version < 35 ? "properly " : "page-"}aligned`);
  if (defect?.kind === "no-loadable-segment") return fatal("invalid-elf-file", "object file has no loadable segments");
  if (elf.type !== 3) return fatal("cannot-load-executable", "cannot dynamically load executable");
  if (defect?.kind === "no-dynamic-section") return fatal("invalid-elf-file", "object file has no dynamic section");
  if (defect?.kind === "segment-beyond-end" || defect?.kind === "unreadable-table") {
    // The loader does not check this: it maps the file and is killed when it touches what is not there.
    return fatal(
      "truncated",
      `${file} ends at byte ${fact.size}, before the data that its headers promise; the process is killed with SIGBUS (Bus error)`,
    );
  }
  if (flags.includes("pie") && 30 <= version)
    return fatal("cannot-load-executable", "cannot dynamically load position-independent executable");
  if (dlopened && flags.includes("noopen")) return fatal("cannot-load-executable", "shared object cannot be dlopen()ed");
  if (dlopened && elf.executableStack && wantsExecutableStack(process, elf)) {
    return fatal("executable-stack", "cannot enable executable stack as shared object requires: Invalid argument");
  }
  return { kind: "usable", elf };
}

// Since 2.41 a process does not get an executable stack after its start. Only x86 and a few old machines take a missing header for a request.
function wantsExecutableStack({ loader, objects }: Process, elf: ElfFact): boolean {
  const hasOne = objects.some(({ fact }) => fact.executableStack && fact !== loader.elf);
  return !hasOne && elf.machine === 62 && 41 <= minorVersion(loader.fact.version);
}

// Up to 2.35 the ABI note's kernel was compared with the running one.
function asksForNewerKernel({ loader, view }: Process, elf: ElfFact): boolean {
  if (
    elf.kernel === undefined ||
    view.snapshot.kernel === undefined ||
    36 <= minorVersion(loader.fact.version, 0 < loader.fact.hwcaps.length ? 36 : 31)
  )
    return false;
  return kernelNumber(view.snapshot.kernel) < kernelNumber(elf.kernel);
}

export function kernelNumber(release: string): number {
  const [major = 0, minor = 0, patch = 0] = release.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  return major * 65536 + minor * 256 + Math.min(patch, 255);
}

/** The N of glibc 2.N; `otherwise` for a loader that does not say. */
export function minorVersion(version: string | undefined, otherwise = 36): number {
  return version === undefined ? otherwise : Number.parseInt(version.slice(version.indexOf(".") + 1), 10);
}
