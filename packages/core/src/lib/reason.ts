const words: { [code: string]: string } = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "that file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the quota of this user is used up",
  EFBIG: "it would be larger than allowed",
  ELOOP: "its links go round in a circle",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open",
  EEXIST: "something is there already",
  ENOTEMPTY: "that folder is not empty",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that runs",
  EMLINK: "it has too many names",
  ENXIO: "it is a socket, or a device that is not there",
  ENOTSUP: "that file system cannot do it",
  EXDEV: "it lies on another file system",
  ESTALE: "that file system has lost it",
  EIO: "the device does not answer as it should",
  ENODEV: "there is no such device",
  ENOMEM: "no memory is left",
  EAGAIN: "the system has no more processes or memory to give just now",
  ENFILE: "too many files are open on this machine",
  ENOEXEC: "it is no program that this machine can run",
  E2BIG: "its arguments or variables are too long",
  EINVAL: "the system does not take it so",
  EOPNOTSUPP: "that file system cannot do it",
  EPIPE: "nobody reads it any more",
  ECONNREFUSED: "nobody answers there",
  ECONNRESET: "the other side hung up",
  ETIMEDOUT: "there was no answer in time",
  EHOSTUNREACH: "there is no way to that host",
  ENOTFOUND: "there is no host of that name",
};

/** What a code of the system means, for a person. */
export const reasonOfCode = (code: string): string => words[code] ?? `the system says ${code}`;

/** Why the system said no, for a person: its own texts repeat the call and the path of a temporary file. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  // `EXYZ: what it means, open '/a/file'`: of a code that is not listed, what it means.
  return words[code] ?? /^[A-Z][A-Z0-9_]+: ([^,]+)/.exec(error.message)?.[1] ?? error.message;
}

const acts: { [call: string]: string } = {
  open: "opened",
  read: "read",
  write: "written",
  scandir: "listed",
  opendir: "listed",
  mkdir: "made",
  mkdtemp: "made",
  rename: "renamed",
  unlink: "removed",
  rmdir: "removed",
  rm: "removed",
  symlink: "linked",
  link: "linked",
  copyfile: "copied",
  chmod: "changed",
  fchmod: "changed",
  chown: "changed",
  utime: "changed",
  readlink: "followed",
  realpath: "followed",
  spawn: "started",
};

/** An error as one sentence for people. What the system says is said in words, with the file that it is about; ours are sentences already. */
export function sentenceOf(error: unknown): string {
  const reason = reasonOf(error);
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error) || reason === error.message) return reason;
  const [call = ""] = String(error.syscall).split(" ");
  const file = "path" in error && typeof error.path === "string" ? `\`${error.path}\`` : "something";
  return `${file} cannot be ${acts[call] ?? "looked at"}: ${reason}`;
}
