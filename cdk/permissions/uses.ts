/**
 * What each function uses. reach.json lists the adapters in its bundle. A test fails when a function uses an adapter that it
 * cannot reach, or reaches one that is neither used nor listed in `reachedAndUnused`.
 */
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import { lambdas } from '../lambdas/index.ts';
import type { FunctionName, WorkerClass } from '../names.ts';

/** Types of objects, as patterns: a type that users define later is in none unless the pattern says so. */
export interface Types {
  types: readonly string[];
  but?: readonly string[];
}

export interface Uses {
  /**
   * The table of objects, which all of these read. `list` also seals slots of the log, as a reader of its end must; `write`
   * writes everything; types name the objects that the function writes, with their log and index entries.
   */
  objects?: 'read' | 'list' | 'write' | Types;
  /** The table of work items. */
  work?: 'read' | 'write';
  /** The partitions of the table of objects from which it reads single items, by pattern. */
  looksUp?: readonly string[];
  /** The partitions of the table of work items of which it reads and updates single items. */
  requests?: readonly string[];
  /** Seals slots of every type's log, or of these types, besides the types that it writes. */
  lists?: true | Types;
  /** Writes objects of kinds that share a mark, although it names their types. */
  marks?: true;
  /** Takes places of counted watches. */
  counts?: true;
  /** Encrypted objects: reads and writes those of every purpose, or reads those of these purposes. */
  secrets?: 'write' | readonly string[];
  /** Signs tokens of ServiceAccounts, with keys that it creates and decrypts. */
  signs?: true;
  /** Records the stored format. */
  format?: true;
  /** Worker classes to whose queues it sends. */
  wakes?: readonly WorkerClass[];
  /** The worker class whose messages it receives and delays. */
  handles?: WorkerClass;
  /** The installation's mark in the account. */
  mark?: 'read' | 'write' | 'remove';
  /** Enables and disables mappings, rules and schedules. */
  switches?: true;
  /** Enables the mapping of the stream to dispatch. */
  changes?: true;
  /** Starts and stops operations, and answers their tasks. */
  workflows?: true;
  /** Writes the audit log. */
  audits?: true;
  /** Calls functions that users name as webhooks. */
  webhooks?: true;
  /** Reads the status of the installation's stack. */
  stack?: true;
  /** Reads, writes and deletes etcd snapshots and inputs of decisions. */
  snapshots?: true;
  /** Calls on the account: all that its code contains, or these. */
  account?: 'all' | readonly CloudAction[];
  /** In place of these uses where the deployment admits clusters of EKS. */
  withEks?: Pick<Uses, 'objects' | 'secrets' | 'lists'>;
}

export const uses = Object.fromEntries(
  Object.entries(lambdas).map(([name, lambda]) => [name, lambda.uses]),
) as Readonly<Record<FunctionName, Uses>>;

/** Adapters in a bundle that the function never calls, and why. */
export const reachedAndUnused: readonly { adapter: string; functions: readonly FunctionName[]; why: string }[] = [
  {
    adapter: 'webhook/invoke',
    functions: ['dispatch', 'operate', 'executions', 'instances', 'sweep'],
    why: 'part of the shared runtime; these functions create no objects and show none',
  },
  {
    adapter: 'queue/send',
    functions: ['api', 'watch'],
    why: 'part of the shared runtime; the stream turns a request’s changes into work',
  },
  {
    adapter: 'keys/kms',
    functions: ['watch', 'dispatch', 'reconcile-core', 'operate', 'executions', 'instances', 'sweep'],
    why: 'part of the store; these functions read no encrypted objects',
  },
];
