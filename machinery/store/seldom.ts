/**
 * What only some reads and writes need, loaded with the first of them: controllers ask for whole lists, and hardly any object
 * has many owners.
 */
import { onDemand } from '../once.ts';

export const seldom = {
  pages: onDemand(() => import('./pages.ts')),
  overflow: onDemand(() => import('./overflow.ts')),
};
