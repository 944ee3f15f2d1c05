import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is that can be called by its name. */
export const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
