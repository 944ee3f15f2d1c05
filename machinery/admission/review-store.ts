import type { Store } from '../store/store.ts';

/** What admission reads of the store for a request. */
export type ReviewStore = Pick<Store, 'get' | 'list'>;
