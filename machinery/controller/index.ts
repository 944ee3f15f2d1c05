/** The controller loop's interface for runtimes. */
export * from './dispatch.ts';
export { gated } from './gate.ts';
export { type Kinds, kindsOf } from './kinds.ts';
export { type AnyController, createPass, type PassOptions } from './pass.ts';
export type { Port, Ports } from './ports.ts';
export { createReceiver, type EndedPass } from './receiver.ts';
export { type Hours, hoursBetween, type Resync, resyncRequests } from './resync.ts';
export type * from './runtime.ts';
export type { Skipped, SkippedReports } from './skipped.ts';
export { createSweeper } from './sweeper.ts';
export { createWork, type Outcome, type Run, type Verdict, type Work, type WorkPorts } from './work.ts';
export { keyOfMessage, messageOf, type WorkItem, type WorkKey } from './work-item.ts';
export { createWriter, type ObjectWriter, type WriterOptions } from './writer.ts';
