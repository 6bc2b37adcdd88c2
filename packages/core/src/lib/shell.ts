// Commands as people paste them.

/** A word that any shell reads back as it is. */
export const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The same to be pasted into bash or zsh: what no terminal shows, such as the carriage return of a file from Windows, is spelled out. */
export const pasted = (text: string) => (/\p{Cc}/u.test(text) ? `$'${text.replace(/[\p{Cc}'\\]/gu, spelled)}'` : quoted(text));

const escapes: { [character: string]: string } = { "\r": "\\r", "\n": "\\n", "\t": "\\t", "'": "\\'", "\\": "\\\\" };
const spelled = (character: string) => escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

export const commandLine = (words: string[]) => words.map(pasted).join(" ");

/** Advice in one line: `for one command: env -u LD_LIBRARY_PATH COMMAND`. */
export const adviceLine = ({ words, command }: { words: string; command?: string[] }) =>
  command ? `${words}: ${commandLine(command)}` : words;
