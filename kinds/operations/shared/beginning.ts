/** How the operation starter begins a type of operation. */
import type { Plan } from '../../../machinery/api/reconcile.ts';
import type { Observed } from '../starter/observe.ts';

export interface Beginning {
  /** Of which clusters: those to be built, those that were Available, or those in deletion. */
  of: 'new' | 'available' | 'deleted';
  /** It is asked before other types, which it may keep away. */
  comesFirst?: true;
  /** Undefined if there is nothing to do, so that another type may begin. `now` in milliseconds. */
  begin: (snapshot: Observed, now: number) => Plan | undefined;
}
