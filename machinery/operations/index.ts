/** Connects workflows to objects. */
export * from './awaits.ts';
export * from './operate.ts';
