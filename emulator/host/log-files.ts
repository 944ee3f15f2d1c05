/** Output of functions, one file each. */
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

export const createLogFiles = (folder: string) => {
  const files = new Map<string, WriteStream>();
  const fileOf = (name: string): WriteStream => {
    const known = files.get(name);
    if (known) return known;
    mkdirSync(folder, { recursive: true });
    const file = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    files.set(name, file);
    return file;
  };
  return {
    write: (name: string, line: string) => void fileOf(name).write(`${line}\n`),
    close: () => {
      for (const file of files.values()) file.end();
    },
  };
};
