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
};

/** Why the system said no, for a person: its own texts repeat the call and the path of a temporary file. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
