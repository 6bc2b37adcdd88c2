/** `requirements.txt:3`, `analysis.ipynb cell 4:2`, `analysis.ipynb cell 4 output 1:7`. */
export const placeWords = ({ file, line, cell, output }: { file: string; line: number; cell?: number; output?: number }): string =>
  `${file}${cell === undefined ? "" : ` cell ${cell}`}${output === undefined ? "" : ` output ${output}`}:${line}`;
