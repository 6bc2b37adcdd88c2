import { load, YAMLException } from "js-yaml";

/**
 * YAML; what is none is thrown with its place. A bracket that closes a list may stand as far left as the key that it belongs to: YAML
 * forbids it, its most used readers do not mind. Such lines are moved to the right; the number of lines stays.
 */
export function readYaml(text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    const moved = text.replace(/^[ \t]*([\]}],?[ \t]*)$/gm, `${" ".repeat(60)}$1`);
    if (moved === text) throw located(error);
    try {
      return load(moved);
    } catch {
      throw located(error);
    }
  }
}

// What the file holds is not repeated: names of keys, tags and anchors.
const withoutContent = (reason: string) => reason.replace(/: .*|(?<!\s)\s*(?:for )?["<!(].*/s, "");

export function located(error: unknown): unknown {
  if (!(error instanceof YAMLException) || !error.mark) return error;
  const { line, column } = error.mark;
  return new Error(`line ${line + 1}, column ${column + 1} is no YAML: ${withoutContent(error.reason)}`, { cause: error });
}
