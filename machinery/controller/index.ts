/** The controller loop's interface for runtimes. */
export * from './dispatch.ts';
export { gated } from './gate.ts';
export { type Kinds, kindsOf } from './kinds.ts';
export { type AnyController, createPass, type PassOptions } from './pass.ts';
export type { Port, Ports } from './ports.ts';
export { type Hours, hoursBetween, resyncRequests } from './resync.ts';
export * from './runtime.ts';
export { createWork, type Outcome, type Run, type Verdict, type Work, type WorkPorts } from './work.ts';
export { keyOfMessage, messageOf, type WorkItem, type WorkKey } from './work-item.ts';
export { createWriter, type ObjectWriter, type WriterOptions } from './writer.ts';
