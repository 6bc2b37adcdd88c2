import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** What the system and the network refuse: room, files, shared memory, names and connections. */
export default [
  {
    ...notice(
      "no-space",
      "no space left on device",
      /No space left on device/,
      "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
    ),
    means: ownMatter(
      "the disk",
      "the disk is full, or the folder for temporary files is",
      "make room, or name another folder for temporary files in TMPDIR",
    ),
  },
  {
    ...notice(
      "too-many-files",
      "too many open files",
      /(?:Errno 24\]|OSError|RuntimeError)[^\n]{0,80}Too many open files/,
      "OSError: [Errno 24] Too many open files",
    ),
    means: ownMatter(
      "open files",
      "the process may open no more files: a limit of the system",
      "raise it (`ulimit -n 65536`), or use fewer workers",
    ),
  },
  {
    ...notice(
      // torch/utils/data/_utils/signal_handling.py, aten/src/ATen/MapAllocator.cpp.
      "shared-memory",
      ["insufficient shared memory", "is killed by signal: bus error", "unable to open shared memory object", "out of shared memory"],
      /insufficient shared memory \(shm\)|DataLoader worker \(pid[\w() ,:]{1,40}\) is killed by signal: Bus error|unable to open shared memory object <|unable to (?:mmap|write to file) [^\n]{0,60}out of shared memory/,
      "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
      "RuntimeError: DataLoader worker (pid 1234) is killed by signal: Bus error.",
    ),
    means: ownMatter(
      "shared memory",
      "the workers of the data loader ran out of shared memory: containers have 64 MB of /dev/shm unless told otherwise",
      "give the container more (`docker run --shm-size=8g`), or use fewer workers",
    ),
  },
  notice(
    // urllib3, pip and curl.
    "network",
    ["max retries exceeded with url", "temporary failure in name resolution", "could not resolve host", "read timed out"],
    /Max retries exceeded with url|Temporary failure in name resolution|Could not resolve host: \S|(?:ReadTimeoutError|Connection(?:Pool)?)[^\n]{0,120}Read timed out/,
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.org', port=443): Max retries exceeded with url: /simple/torch/",
  ),
] satisfies Signature[];
