// What an experiment changes, in words: findings that go and come, and libraries that are another file.
import type { Answer, LoadedLibrary } from "./messages.ts";

export interface Change {
  mark: "✓" | "✗" | "!" | "→";
  look: "good" | "error" | "warning" | "info";
  words: string;
}

/** More lines than this are counted. */
const most = 12;

export function changesOf(before: Answer, after: Answer): Change[] {
  const [had, has] = [new Set(before.findings.map(({ key }) => key)), new Set(after.findings.map(({ key }) => key))];
  const gone = before.findings
    .filter(({ key }) => !has.has(key))
    .map(({ headline }): Change => ({ mark: "✓", look: "good", words: `gone: ${headline}` }));
  const come = after.findings
    .filter(({ key }) => !had.has(key))
    .map(({ headline, severity }): Change =>
      severity === "error"
        ? { mark: "✗", look: "error", words: `new: ${headline}` }
        : { mark: "!", look: "warning", words: `new: ${headline}` },
    );
  const loads = loadChanges(before.loads, after.loads);
  const shown = loads.slice(0, most);
  const left = loads.length - shown.length;
  return [
    ...come,
    ...gone,
    ...shown,
    ...(left === 0 ? [] : [{ mark: "→" as const, look: "info" as const, words: `and ${left} more libraries` }]),
  ];
}

function loadChanges(before: Answer["loads"], after: Answer["loads"]): Change[] {
  const changes: Change[] = [];
  for (const [program, loads] of Object.entries(after)) {
    const old = before[program] ?? {};
    for (const library of new Set([...Object.keys(old), ...Object.keys(loads)])) {
      const [was, is] = [placeWords(old[library]), placeWords(loads[library])];
      if (was !== is) changes.push({ mark: "→", look: "info", words: `${program}: ${library} ${is} (was ${was})` });
    }
  }
  return changes;
}

function placeWords(loaded: LoadedLibrary | undefined): string {
  if (!loaded) return "is not loaded";
  const { versions, folders } = loaded;
  return `${versions.join(" and ")} from ${folders.map((folder) => `\`${folder}\``).join(" and ")}`.trim();
}
