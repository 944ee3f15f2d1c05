/** What must hold after every event. Each invariant looks at one commit or call, and throws when it is broken. */
export { createInvariants, type Invariants, Violation } from './all.ts';
