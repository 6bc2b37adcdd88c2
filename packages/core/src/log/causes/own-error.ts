import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

// Exceptions of Python's own, which name the program's code and no library.
const ofPython =
  /^(?:KeyError|IndexError|NameError|SyntaxError|IndentationError|ZeroDivisionError|UnicodeDecodeError|RecursionError|(?:json\.decoder\.)?JSONDecodeError)$/;

const ofPackages = /^(?:AttributeError|TypeError)$/;

/** An exception of Python's own, which is the program's. */
export default function ownError(facts: Facts): Problem[] {
  const last = facts.notices("ended-with-error").at(-1);
  const subject = last?.subject ?? "";
  const own = ofPython.test(subject);
  if (!last || (!own && !ofPackages.test(subject)) || 0 < facts.notices("numpy-removed").length) return [];
  const error: Suspect = {
    cause: "not-a-mismatch",
    name: subject,
    certainty: own ? "likely" : "possible",
    message: `the program ended with ${/^[AEIOU]/.test(subject) ? "an" : "a"} ${subject} of Python: an error of its code, its settings or its data`,
    evidence: [last],
    next: [],
    fixes: [fix("read the lines above it: the last that names a file of the program is where it happens")],
  };
  const drift: Suspect = {
    ...error,
    cause: "package-conflict",
    certainty: "possible",
    message: "or two Python packages are of releases that do not know each other: one calls what the other no longer has",
    next: ["pip check"],
    fixes: [fix("install the releases that the project names in its requirements, in an environment of their own")],
  };
  return [{ weight: weights.harmless - 2, suspects: own ? [error] : [error, drift] }];
}
