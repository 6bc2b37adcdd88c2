// What the files of environment modules share, whichever language they are in. They are read, never run.

/** One thing that a module does. `line` is that of its file. */
export type ModuleAction = { line: number } & (
  | { do: "prepend" | "append" | "remove"; name: string; values: string[]; separator: string }
  | { do: "set"; name: string; value: string }
  | { do: "unset"; name: string }
  | { do: "load"; modules: string[] }
  | { do: "unload"; modules: string[] }
  | { do: "use"; folders: string[]; append: boolean }
);

/** A line that may do something, and is not understood. */
export interface UnclearLine {
  line: number;
  text: string;
  /** What it may do, where that shows. */
  about: string;
}

/** What a module may ask about where it is loaded. */
export interface ModuleContext {
  /** `cudnn/9.1`. */
  name: string;
  /** Does it: what comes after it may ask about what it did. */
  act: (action: ModuleAction) => void;
  /** undefined: not known; null: not set. */
  variable: (name: string) => string | null | undefined;
  isLoaded: (name: string) => boolean;
  /** undefined: not known. */
  exists: (path: string) => boolean | undefined;
}

export const versionIn = (name: string): string => (name.includes("/") ? name.slice(name.indexOf("/") + 1) : "");

/** `/a/` and `b` as `/a/b`. */
export const joined = (parts: string[]): string =>
  parts.reduce(
    (path, part) => (path === "" || part.startsWith("/") ? part : `${path.endsWith("/") ? path.slice(0, -1) : path}/${part}`),
    "",
  );
