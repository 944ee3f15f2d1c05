export { type Parse, parse } from './codec.ts';
export { existsAny } from './exists.ts';
export { type KindLookup, openStore, type StoreOptions } from './open.ts';
export { unlessUnreadable } from './readable.ts';
export { logEntryOf } from './routing.ts';
export type * from './store.ts';
