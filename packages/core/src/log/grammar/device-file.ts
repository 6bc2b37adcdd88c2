import type { Frame } from "../frame.ts";

const file = "(?<file>/dev/(?:nvidia(?:ctl|-uvm(?:-tools)?|-modeset|\\d{1,2})|kfd|dri/renderD\\d{1,4}))";
const refused =
  "(?:permission denied|operation not permitted|no such file|not permitted|does not exist|not found|no such device|fail(?:ed|ure)|could not|cannot|can't|unable|permission problems)";
const said = [new RegExp(`\\b${refused}\\b[^\\n]{0,80}${file}\\b`, "i"), new RegExp(`${file}\\b[^\\n]{0,60}\\b${refused}\\b`, "i")];
const weighed = /\b(?:if|when|unless|whether|in case|should|may|might|make sure)\b[^.!;]{0,90}$/i;

/** The GPU's own file is not there, or may not be opened: could not open /dev/nvidiactl; /dev/kfd has rows of its own. */
export default {
  id: "device-file",
  literals: ["/dev/nvidia", "/dev/kfd", "/dev/dri"],
  examples: ["Error: could not open /dev/nvidiactl: No such file or directory", "failed to open /dev/dri/renderD128: Permission denied"],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || weighed.test(text.slice(0, match.index))) return [];
    return [{ kind: "notice", id: "no-gpu-seen", subject: /nvidia/.test(match.groups!["file"]!) ? "any" : "hip" }];
  },
} satisfies Frame;
