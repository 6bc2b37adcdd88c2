import type { Frame } from "../frame.ts";

const old = "(?:too old|outdated|out[ -]of[ -]date|obsolete|no longer supported|not supported|unsupported)";

/** The driver is said to be old, in the ways in which programs say it. */
const said = [
  `\\bdrivers?\\b(?: [\\w.()-]{1,16}){0,4}? (?:is|are|was) (?:[\\w-]{2,12} )?${old}(?! (?:on|by|in)\\b)`,
  `\\b(?:old|outdated|obsolete|unsupported) (?:[\\w-]{2,12} ){0,2}drivers?\\b(?: version)?(?: (?:is|was))? ?(?:detected|found|installed|:|!|\\.|$)`,
  `\\binsufficient (?:[\\w-]{2,12} ){0,2}driver\\b`,
  `\\bplease (?:update|upgrade)(?: [\\w-]{2,12}){0,4} drivers? (?:to|for|and|version)\\b`,
  `\\bnewer than (?:what )?(?:the|your|this) (?:[\\w-]{2,12} ){0,2}driver (?:supports|can run|allows|knows)\\b`,
  `\\bdriver\\b[^\\n.]{0,30} does(?: not|n't) support the required\\b`,
  `\\b(?:invalid|wrong|incompatible) (?:[\\w-]{2,12} ){0,2}drivers? version\\b`,
  `\\bupdate (?:your |the )?(?:GPU|NVIDIA|CUDA|graphics) drivers?\\b[^\\n]{0,80}\\b(?:requires?|needs?)\\b`,
].map((source) => new RegExp(source, "i"));

const ofNvidia = /nvidia|cuda|nvenc|optix|geforce|\bgpu\b|graphics/i;
const ofOthers = /\bamdgpu\b|\brocm\b|\bintel\b|\bprinter\b|\bjdbc\b|\bodbc\b|chrome ?driver|gecko|vulkan|opengl|\bmesa\b/i;

/** What the driver is said to end with: a CUDA release behind these words. */
const ceiling =
  /\b(?:current(?:ly)?(?: supported)?(?: version)?|supports?|supported version|driver supports|version)\b[^\n\d]{0,24}(?<cuda>(?:[7-9]|1\d)\.\d)(?![\d.])/i;

/** cudaDriverGetVersion's numbers: 12040 is CUDA 12.4. */
const coded = /\b(?<found>1[0-4]0\d0)\b[^\n]{0,60}?\b(?:requires?|needs?|wants?) (?:at least |version |CUDA )?(?<required>1[0-4]0\d0)\b/i;
const release = (code: string) => `${code.slice(0, 2)}.${code[3]}`;

const weighed = /\b(?:if|when|unless|whether|in case|should|may|might|or)\b[^.!;]{0,90}$/i;

/** The driver is older than somebody wants it: driver is outdated, please update your driver, newer than the driver supports. */
export default {
  id: "driver-behind",
  vague: true,
  literals: ["driver"],
  examples: [
    "the graphics driver 391.35 is not supported",
    "WARN old CUDA driver detected - please upgrade",
    "Please update your NVIDIA GPU driver to support CUDA 12. Current supported version: 11.4",
    "Invalid NVIDIA driver version. Minimum is 458.00",
    "panic: Update GPU drivers. The maximum supported version is 12040 but the program requires 12060",
    "the CUDA runtime (12.4) is newer than the driver supports (11.4)",
  ],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || !ofNvidia.test(text) || ofOthers.test(text) || weighed.test(text.slice(0, match.index))) return [];
    const { found: has, required } = coded.exec(text)?.groups ?? {};
    if (has !== undefined && required !== undefined && has < required)
      return [
        {
          kind: "needs-has",
          product: "cuda",
          required: release(required),
          found: release(has),
          relation: "least",
          refused: true,
          about: "driver",
        },
      ];
    const found = ceiling.exec(text.slice(match.index))?.groups?.["cuda"];
    return [{ kind: "notice", id: "driver-too-old", ...(found === undefined ? {} : { found }) }];
  },
} satisfies Frame;
