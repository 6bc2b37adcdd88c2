import { tooMuchJson } from "./json-size.ts";

/** What a text holds as JSON; or why it holds none, in words that go on after the name of the file. */
export function readJson(text: string): { value: unknown } | { code: "too-large" | "damaged"; problem: string } {
  const excess = tooMuchJson(text);
  if (excess !== undefined) return { code: "too-large", problem: excess };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : "unreadable";
    return { code: "damaged", problem: text.trim() === "" ? "it is empty" : `it is not JSON (${reason})` };
  }
}
