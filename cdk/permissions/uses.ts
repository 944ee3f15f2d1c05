/**
 * What each function does with what it can reach. Which adapters that are is read off its bundle (reach.json); a test fails when one
 * uses what it does not reach, or reaches what is neither used nor named below.
 */
import type { CloudAction } from '../../kinds/ports/cloud.ts';
import { controllers } from '../../wiring.ts';
import { type FunctionName, type WorkerClass, workerClasses } from '../names.ts';

export interface Uses {
  /** The table of objects; who lists writes as well, for readers settle the order of changes. */
  objects?: 'read' | 'write';
  /** The table of work items. */
  work?: 'read' | 'write';
  /** Objects that are encrypted: `write` makes data keys. */
  secrets?: 'read' | 'write';
  /** Whose queues it puts messages into. */
  wakes?: readonly WorkerClass[];
  /** Whose messages it was given, and hides for a while. */
  handles?: WorkerClass;
  /** The installation's mark in the account. */
  mark?: 'read' | 'write' | 'remove';
  /** Switches on and off what polls and fires. */
  switches?: true;
  /** Looks after the mapping that brings changes to dispatch. */
  changes?: true;
  /** Starts and stops operations, and answers their tasks. */
  workflows?: true;
  /** Writes the audit log. */
  audits?: true;
  /** The account: every call that the code makes, or these. */
  account?: 'all' | readonly CloudAction[];
}

const workers = (of: WorkerClass): Uses => ({ objects: 'write', work: 'write', wakes: [of], handles: of });

export const uses: Readonly<Record<FunctionName, Uses>> = {
  api: { objects: 'write', secrets: 'write', audits: true },
  watch: { objects: 'write', secrets: 'read', audits: true },
  // Who looks for dependents reads them whole, Secrets as well.
  dispatch: { objects: 'write', work: 'write', secrets: 'read', wakes: workerClasses, switches: true },
  // Reads no Secret, also when a reference names one.
  'reconcile-core': { ...workers('core'), mark: 'read' },
  // Once thawed, it has everything looked at again.
  'reconcile-aws': {
    ...workers('aws'),
    wakes: workerClasses,
    secrets: 'read',
    mark: 'write',
    workflows: true,
    account: 'all',
  },
  'reconcile-workload': { ...workers('workload'), secrets: 'write', mark: 'write' },
  // What it takes a finalizer from is written again, under the data key that is there.
  'reconcile-gc': { ...workers('gc'), secrets: 'read', mark: 'read' },
  operate: { work: 'write', wakes: [controllers['cluster-operation'].worker], switches: true },
  executions: { work: 'write', wakes: [controllers['cluster-operation'].worker], switches: true },
  instances: {
    objects: 'read',
    work: 'write',
    wakes: [controllers['aws-machine'].worker],
  },
  sweep: {
    objects: 'write',
    work: 'write',
    secrets: 'read',
    wakes: workerClasses,
    switches: true,
    changes: true,
  },
  // Its refusal is answered to CloudFormation, over HTTPS.
  guard: { objects: 'read', work: 'read', mark: 'remove' },
};

/** Adapters that come along in a bundle without being called, and why. */
export const reachedAndUnused: readonly { adapter: string; functions: readonly FunctionName[]; why: string }[] = [
  {
    adapter: 'queue/send',
    functions: ['api', 'watch'],
    why: 'every function is built on the same foundation; what a request changes becomes work by the stream',
  },
  {
    adapter: 'keys/kms',
    functions: ['reconcile-core', 'operate', 'executions', 'instances'],
    why: 'the store comes along; the objects that these are about are not encrypted',
  },
];
