/** What to type for a GPU instead of one that nobody knows; continues a sentence. */
export const gpuHint = (likely: string[]): string =>
  `${likely.length === 0 ? "" : ` (did you mean ${likely.map((name) => `\`${name}\``).join(", ")}?)`}; give a name as \`nvidia-smi -L\` prints it (RTX 4090, L4, H200) or an architecture (sm_89)`;
