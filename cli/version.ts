import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  version: string;
  devDependencies: Record<string, string>;
}
const own = (): Package => JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as Package;

/** The version of this checkout. */
export const versionOf = (): string => own().version;

/** The Node version that this checkout pins. */
export const pinnedNode = (): string => own().devDependencies.node ?? '';
