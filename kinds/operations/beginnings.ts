// Written by `npm run registry`.

import { createBegins } from './create/begin.ts';
import { deleteBegins } from './delete/begin.ts';
import { restoreBegins } from './restore/begin.ts';
import type { Beginning } from './shared/beginning.ts';
import { upgradeBegins } from './upgrade/begin.ts';

/** How each type of operation begins. */
export const beginnings: Readonly<Record<string, Beginning>> = {
  create: createBegins,
  delete: deleteBegins,
  restore: restoreBegins,
  upgrade: upgradeBegins,
};
