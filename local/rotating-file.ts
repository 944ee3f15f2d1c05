/** A file of lines that makes room for the next one when it is long; one before it is kept. */
import { appendFileSync, renameSync, statSync } from 'node:fs';

/** Bytes. */
const longest = 20 * 1024 * 1024;

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
};

/** Where the lines before those of the file are. */
export const formerOf = (path: string): string => `${path}.1`;

/** Appends lines. A disk that is full costs lines, not the control plane. */
export const rotatingFile = (path: string, most = longest): ((line: string) => void) => {
  let size = sizeOf(path);
  return (line) => {
    try {
      if (size + line.length > most) {
        renameSync(path, formerOf(path));
        size = 0;
      }
      appendFileSync(path, `${line}\n`, { mode: 0o600 });
      size += line.length + 1;
    } catch {
      return;
    }
  };
};
