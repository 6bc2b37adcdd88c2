// What a page of ours may do, in one place: nothing is fetched, no text is run as a program, and only the script that it was made with runs.

interface May {
  /** `sha256-…` of its script; without one, none runs. */
  scriptHash?: string;
  /** What else its scripts may be: files beside the page, or WebAssembly. */
  scripts?: string[];
  /** Where its workers come from. */
  workers?: string[];
}

export function pagePolicy({ scriptHash, scripts = [], workers = [] }: May): string {
  const given: { [directive: string]: string[] } = {
    "default-src": ["'none'"],
    "style-src": ["'unsafe-inline'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    ...(scriptHash === undefined ? {} : { "script-src": [`'${scriptHash}'`, ...scripts] }),
    ...(workers.length === 0 ? {} : { "worker-src": workers }),
    "connect-src": ["'none'"],
  };
  return Object.entries(given)
    .map(([directive, sources]) => `${directive} ${sources.join(" ")}`)
    .join("; ");
}
