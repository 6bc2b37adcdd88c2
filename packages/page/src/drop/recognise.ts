// What a file is: by its bytes, and by its name where those leave a choice.
import { recognise } from "../../../core/src/dependency-files/recognise.ts";
import { sniff } from "../../../core/src/trace/sniff.ts";
import { isHeader } from "../../../machine/src/target/tar.ts";

export type Recognised =
  | { kind: "snapshot" }
  | { kind: "image" }
  | { kind: "archive" }
  | { kind: "log" }
  | { kind: "trace" }
  | { kind: "dependency-file"; taken: string }
  | { kind: "unknown"; words: string };

/** `first`: its first bytes, unpacked. */
export function recogniseDropped(name: string, first: Uint8Array): Recognised {
  const plain = name.replace(/\.(?:gz|zst)$/i, "");
  if (first.length === 0) return { kind: "unknown", words: "it is empty" };
  if (512 <= first.length && isHeader(first.slice(0, 512))) return { kind: "image" };
  if (first[0] === 0x50 && first[1] === 0x4b && first[2] === 3 && first[3] === 4) return { kind: "archive" };
  const text = new TextDecoder("utf-8").decode(first);
  if (text.slice(0, 4096).includes('"culprit/snapshot@')) return { kind: "snapshot" };
  const format = isText(first) ? recognise(plain, text) : undefined;
  if (format !== undefined && !looksLikeLog(plain, text) && (format !== "requirements" || isList(plain, text)))
    return { kind: "dependency-file", taken: format };
  if (/^\s*[[{]/.test(text) && isTraceText(plain, text)) return { kind: "trace" };
  if (isText(first)) return { kind: "log" };
  const sniffed = sniff(first, plain);
  if ("reader" in sniffed) return { kind: "trace" };
  // A crash may leave zeros in the middle of what was written.
  if (/\.(?:log|txt|out|err)$/i.test(plain) && isText(first.filter((byte) => byte !== 0))) return { kind: "log" };
  return { kind: "unknown", words: `it is neither a text nor a snapshot nor an image, and ${sniffed.words}` };
}

/** JSON is a profile where it says so; what programs log as JSON is a text. */
const isTraceText = (name: string, text: string): boolean =>
  /"(?:traceEvents|rocprofiler-sdk-tool|deviceProperties|displayTimeUnit|schemaVersion|ph)"\s*:/.test(text) || /trace\.json$/i.test(name);

/** What has no name of its own may still be what somebody copied from a terminal. */
const looksLikeLog = (name: string, text: string): boolean =>
  !/requirements|constraints|dockerfile|environment|\.(?:ipynb|toml|ya?ml|lock|cfg|ini|py|sh|def|nix|json|mk)$/i.test(name) &&
  /(?:^|\n)(?:Traceback \(most recent call last\)|\S*(?:Error|Exception|Warning):|\d{4}-\d\d-\d\d[ T]\d\d:\d\d|[WEIF]\d{4} \d\d:\d\d)/.test(
    text,
  );

/** Any .txt may be a list of requirements, or whatever people write down: a list has a package on nearly every line. */
function isList(name: string, text: string): boolean {
  if (/requirements|constraints/i.test(name)) return true;
  const lines = text
    .split("\n")
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
  const listed = lines.filter((line) =>
    /^(?:-{1,2}[a-z][\w-]*[ =]\S+|[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s?(?:(?:[=<>!~]=|[<>@;]).*)?)$/.test(line),
  );
  return 0 < lines.length && lines.length * 0.9 <= listed.length;
}

/** No zeros, and hardly anything that is no letter. */
function isText(first: Uint8Array): boolean {
  let strange = 0;
  for (const byte of first) {
    if (byte === 0) return false;
    if (byte < 9 || (13 < byte && byte < 32 && byte !== 27)) strange += 1;
  }
  return strange * 50 < first.length;
}
