/** Advice is words, a command, or words that end with one: `for one command: env -u LD_LIBRARY_PATH COMMAND`. */
export function splitAdvice(text: string): { words: string; command?: string } {
  const command = pattern.exec(text)?.[1];
  return command === undefined ? { words: text } : { words: text.slice(0, -command.length).trimEnd(), command };
}

const programs = "pip3?|apt|apt-get|env|echo|python[\\d.]*|conda|mamba|uv|culprit|ldconfig|docker|sudo|export|unset|modprobe|rm|ln|mv";
const pattern = new RegExp(`(?:^|: )((?:/\\S*/|)(?:${programs}) .*)$`);
