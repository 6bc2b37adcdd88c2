import { modulesGiving } from "../../diagnose/words.ts";
import { overlay } from "../../model/overlay.ts";
import { commandLine } from "../../lib/shell.ts";
import { withoutSource } from "../../model/inventory.ts";
import { defineFix } from "../fix.ts";

/** An environment module that set what is to blame is unloaded: in a shell, by whoever sits there. */
export default defineFix({
  id: "unload-module",
  title: "Unload an environment module",
  proposes(stack, { facts }) {
    const modules = (facts.variables ?? []).flatMap(({ name, elements = [] }) =>
      elements.flatMap((element) => modulesGiving(stack, name, element)),
    );
    return [...new Set(modules)].map((module) => ({
      title: `unload the module ${module}`,
      reach: "shell" as const,
      safety: "display-only" as const,
      commands: [commandLine(["module", "unload", module])],
      steps: [],
      changes: [],
      simulate: (snapshot) => {
        const changed = overlay(snapshot);
        for (const source of stack.inventory.variables) if (source.module === module) withoutSource(changed.environment, source);
        return changed;
      },
    }));
  },
});
