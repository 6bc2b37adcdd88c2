import { load } from "js-yaml";

/**
 * A bracket that closes a list may stand as far left as the key that it belongs to: YAML forbids it, its most used readers do not
 * mind. Such lines are moved to the right; the number of lines stays.
 */
export function readYaml(text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    const moved = text.replace(/^[ \t]*([\]}],?[ \t]*)$/gm, `${" ".repeat(60)}$1`);
    if (moved === text) throw error;
    return load(moved);
  }
}
