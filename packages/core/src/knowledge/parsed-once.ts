/** Parses a text when it is first asked for, and keeps what came of it. */
export function parsedOnce<T>(text: string): () => T {
  let value: T | undefined;
  return () => (value ??= JSON.parse(text) as T);
}
