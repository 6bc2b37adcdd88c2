// Commands as people paste them.

/** A word that a shell reads back as it is. */
export const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export const commandLine = (words: string[]) => words.map(quoted).join(" ");

/** Advice in one line: `for one command: env -u LD_LIBRARY_PATH COMMAND`. */
export const adviceLine = ({ words, command }: { words: string; command?: string[] }) =>
  command ? `${words}: ${commandLine(command)}` : words;
