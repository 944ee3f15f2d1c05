import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program on the PATH. */
export const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
