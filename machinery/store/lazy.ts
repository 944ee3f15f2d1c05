/**
 * Modules that only some reads and writes need, loaded with the first of them: controllers read
 * whole lists, few objects have many owners, and hardly any is damaged.
 */
import { onDemand } from '../once.ts';

export const lazy = {
  pages: onDemand(() => import('./pages.ts')),
  overflow: onDemand(() => import('./overflow.ts')),
  unreadable: onDemand(() => import('./unreadable.ts')),
};
