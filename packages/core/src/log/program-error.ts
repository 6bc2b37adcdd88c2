import type { Diagnosis, Explanation, LogLine } from "../model/explain.ts";

// What speaks of a GPU stack is no plain error, whatever its form.
const ofStack =
  /cuda|cudnn|cublas|nccl|nvidia|\bgpu|driver|\blib[\w+-]{2,40}\.so|\.dll\b|\bptx\b|\bhip|rocm|compute capability|sm_\d\d|undefined symbol|incompatible|version|protobuf|tensorrt|triton|numpy\.|binary|import|module|attribute|ABI|profil|plugin/i;

/** A plain error of a program, by the last line of its traceback. */
const kinds: [pattern: RegExp, what: string][] = [
  [
    /shape|size mismatch|dimension|broadcast|must match the size|mat1 and mat2|expected input|number of channels/i,
    "sizes of arrays do not fit together",
  ],
  [/^(?:[\w.]{0,60})(?:MemoryError|OutOfMemoryError)|cannot allocate memory|out of memory/i, "memory ran out"],
  [
    /^(?:[\w.]{0,60})(?:Connection\w{0,20}|Timeout|HTTP|URL|SSL|gaierror)(?:Error|Exception)?:|connection (?:refused|reset|timed out)|name resolution|(?:could ?n[o\u2019']t|could not|unable to|failed to) (?:connect|reach)[^\n]{0,20}https?:/i,
    "the network, or a server, did not answer",
  ],
  [/^(?:[\w.]{0,60})FileNotFoundError:|No such file or directory: ['"]/, "a file of the program's own is not there"],
  [/^(?:[\w.]{0,60})PermissionError:/, "a file may not be read or written by this user"],
  [/^(?:[\w.]{0,60})AssertionError:?/, "an assertion of the program does not hold"],
  [
    /^(?:[\w.]{0,60})(?:Value|Index|Key|Type|Name|Syntax|Indentation|ZeroDivision|UnicodeDecode|UnicodeEncode|JSONDecode|Recursion|Overflow|FloatingPoint|UnboundLocal|StopIteration|NotImplemented)(?:Error)?:/,
    "an error of the program's own code or data",
  ],
];

/** What ended a program, where that has nothing to do with a GPU stack. */
export function plainErrorOf({ line, text }: LogLine): Explanation["plain"] {
  const what = ofStack.test(text) ? undefined : kinds.find(([pattern]) => pattern.test(text))?.[1];
  return what === undefined ? undefined : { line, text, what };
}

/** The same for those who read data: a plain error of the program is a diagnosis, too. Reports say it in a line of their own, without a mark. */
export function withPlainError(explanation: Explanation): Explanation {
  const { plain, diagnoses } = explanation;
  if (!plain || diagnoses.some(({ cause }) => cause !== "benign-warning")) return explanation;
  const { line, text, what } = plain;
  const diagnosis: Diagnosis = {
    cause: "not-a-mismatch",
    name: "the program",
    certainty: "likely",
    message: `an error of the program, and not of a GPU stack: ${what}`,
    because: [],
    evidence: [{ line, text }],
    next: [],
    fixes: [],
  };
  return { ...explanation, diagnoses: [diagnosis, ...diagnoses] };
}
