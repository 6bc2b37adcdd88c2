import advice from "../log/messages/advice.ts";
import { defineDependencyFileRule } from "./rule.ts";

/** Of what is known to do harm, these are mistakes wherever they stand; others have rules of their own. */
const counted = new Set(["other-library-under-name", "other-release-under-name", "open-to-all"]);

export default defineDependencyFileRule({
  id: "harmful-step",
  title: "A command that hides a mismatch instead of mending it",
  cause: "library-wrong-version",
  severity: "warning",
  notOn: { machines: "a machine keeps what a command did, and not the command; what it did has rules of its own" },
  page: {
    what: "A line gives a library the name of another release (`ln -s libcudnn.so.9 libcudnn.so.8`), or of another library, or opens devices to everyone.",
    why: "It is what many answers recommend, and the first error goes away: the loader finds a file of the right name. Its functions and structures are those of another release, so the program fails later, or computes wrongly.",
    how: "The same patterns that `culprit explain` warns of in error texts, in the commands of Dockerfiles, notebooks and workflows.",
    fix: "Take the line out and install the release that is asked for.",
    observed:
      "Links of this kind are in many public Dockerfiles and notebooks; what they lead to is in the threads that `culprit explain` was made from.",
  },
  finds: ({ declaration }) =>
    declaration.steps.flatMap((step) => {
      if (step.kind !== "line") return [];
      return advice.flatMap(({ pattern, facts }) => {
        const groups = pattern.exec(step.text)?.groups ?? (pattern.test(step.text) ? {} : undefined);
        const made = groups
          ? (facts as (groups: { [name: string]: string }) => { id: string; message: string } | undefined)(groups)
          : undefined;
        if (!made || !counted.has(made.id)) return [];
        return [
          {
            subject: step.text.slice(0, 120),
            place: step.place,
            short: made.message.split(/[:;] /)[0]!,
            message: made.message,
            because: [`the line is \`${step.text.slice(0, 200)}\``],
            advice: ["take the line out, and install the release that is asked for"],
          },
        ];
      });
    }),
});
