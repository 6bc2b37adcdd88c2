import { defineFormat } from "../format.ts";
import { readPipfileLock } from "./pipfile.ts";

export default defineFormat({
  id: "pipfile-lock",
  words: "Pipfile.lock",
  place: 8,
  signs: [
    { by: "name", is: ({ name }) => name === "pipfile.lock" },
    {
      by: "text and ending",
      after: ["notebook"],
      is: ({ name, head }) => name.endsWith(".json") && /"_meta"\s*:[^]*"pipfile-spec"/.test(head),
    },
  ],
  read: readPipfileLock,
  example: { file: "Pipfile.lock", text: '{"_meta": {"pipfile-spec": 6}, "default": {"torch": {"version": "==2.4.1"}}}\n' },
});
