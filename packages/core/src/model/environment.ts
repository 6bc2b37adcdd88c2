/** A Python environment: an interpreter, where it looks for modules, and what is installed there. */
export interface PythonEnvironment {
  /** The folder that holds `bin` and `lib`. */
  prefix: string;
  kind: "venv" | "conda" | "system" | "other";
  /** The interpreter, as one would call it. */
  python: string;
  /** For example `3.12`. */
  version: string;
  /** The standard library of the interpreter that the environment was made from. */
  library: string;
  /** sys.path, in order; the empty text is the current folder. */
  path: string[];
  /** The folders for installed packages among them, as `site.getsitepackages()` and the user's own: without PYTHONPATH and .pth files. */
  sites: string[];
  packages: PythonPackage[];
  /** How uv is called for it, where it has no pip: by its name where PATH leads to it; absent where it is nowhere. */
  uv?: string;
  /** `uv venv` made it. */
  madeByUv?: true;
  /** The file by which a distribution keeps pip out of its own Python (PEP 668). */
  managed?: string;
  /** Lines of .pth files that would run code, and other things that were not followed; `hides`: modules come from there that nobody looks at. */
  notFollowed: { file: string; reason: string; hides?: true }[];
}

export interface PythonPackage {
  /** Normalised as PEP 503 says: `nvidia-cudnn-cu13`. */
  name: string;
  version: string;
  /** The folder on sys.path that it was installed into; of one in editable form, where its modules lie. */
  folder: string;
  /** Its `.dist-info` folder. */
  metadata: string;
  /** The element of PYTHONPATH that leads to it: it is imported, and is not installed in the environment. */
  pythonPath?: string;
}
