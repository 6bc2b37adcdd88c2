import { defineTargetKind } from "../target-kind.ts";

export default defineTargetKind({
  id: "ssh",
  kind: "host",
  prefix: "ssh:",
  form: "`ssh:HOST`",
  forms: "`ssh:HOST`",
  help: "another host (`ssh:HOST`, through your own ssh; nothing is installed there; `ssh:node[001-200]` is two hundred)",
  place: 5,
  open: async (name, { ssh, patience }) => (await import("../host.ts")).host(name, ssh, patience),
});
