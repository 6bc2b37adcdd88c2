/** `requirements.txt:3`, `analysis.ipynb cell 4:2`. */
export const placeWords = ({ file, line, cell }: { file: string; line: number; cell?: number }): string =>
  cell === undefined ? `${file}:${line}` : `${file} cell ${cell}:${line}`;
