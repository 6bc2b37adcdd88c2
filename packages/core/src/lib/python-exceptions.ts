// Errors of Python by their names, and which clauses of a `try` catch them.

/** What each of Python's own errors is a kind of. */
const kinds: { [name: string]: string } = {
  Exception: "BaseException",
  ImportError: "Exception",
  ModuleNotFoundError: "ImportError",
  ArithmeticError: "Exception",
  AssertionError: "Exception",
  AttributeError: "Exception",
  LookupError: "Exception",
  IndexError: "LookupError",
  KeyError: "LookupError",
  NameError: "Exception",
  OSError: "Exception",
  FileNotFoundError: "OSError",
  RuntimeError: "Exception",
  NotImplementedError: "RuntimeError",
  SystemError: "Exception",
  TypeError: "Exception",
  ValueError: "Exception",
  UnicodeError: "ValueError",
  SystemExit: "BaseException",
};

const canonical = (name: string) => (name === "IOError" || name === "EnvironmentError" ? "OSError" : name);

/** An error of Python's own; what a package defines may be a kind of any. */
export const isOwnOfPython = (name: string): boolean => name === "BaseException" || Object.hasOwn(kinds, canonical(name));

/** Whether clauses that name these may catch an error: who does not know which error it is, or a name in a clause, takes it for caught. */
export function isCaught(raised: string | undefined, caught: string[]): boolean {
  if (caught.length === 0) return false;
  if (raised === undefined || !isOwnOfPython(raised) || caught.some((name) => !isOwnOfPython(name))) return true;
  const names = new Set(caught.map(canonical));
  for (let kind: string | undefined = canonical(raised); kind !== undefined; kind = kinds[kind]) if (names.has(kind)) return true;
  return false;
}
