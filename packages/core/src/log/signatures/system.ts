import { notice, type Signature } from "../signature.ts";

/** What the system and the network refuse: room, files, shared memory, names and connections. */
export default [
  notice(
    "no-space",
    "no space left on device",
    /No space left on device/,
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
  ),
  notice(
    "too-many-files",
    "too many open files",
    /(?:Errno 24\]|OSError|RuntimeError)[^\n]{0,80}Too many open files/,
    "OSError: [Errno 24] Too many open files",
  ),
  notice(
    // torch/utils/data/_utils/signal_handling.py, aten/src/ATen/MapAllocator.cpp.
    "shared-memory",
    ["insufficient shared memory", "is killed by signal: bus error", "unable to open shared memory object", "out of shared memory"],
    /insufficient shared memory \(shm\)|DataLoader worker \(pid[\w() ,:]{1,40}\) is killed by signal: Bus error|unable to open shared memory object <|unable to (?:mmap|write to file) [^\n]{0,60}out of shared memory/,
    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
    "RuntimeError: DataLoader worker (pid 1234) is killed by signal: Bus error.",
  ),
  notice(
    // urllib3, pip and curl.
    "network",
    ["max retries exceeded with url", "temporary failure in name resolution", "could not resolve host", "read timed out"],
    /Max retries exceeded with url|Temporary failure in name resolution|Could not resolve host: \S|(?:ReadTimeoutError|Connection(?:Pool)?)[^\n]{0,120}Read timed out/,
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.org', port=443): Max retries exceeded with url: /simple/torch/",
  ),
] satisfies Signature[];
