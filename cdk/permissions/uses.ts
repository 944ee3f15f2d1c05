/**
 * What each function uses. reach.json lists the adapters in its bundle. A test fails when a function uses an adapter that it
 * cannot reach, or reaches one that is neither used nor listed in `reachedAndUnused`.
 */
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import { controllers } from '../../wiring.ts';
import { type FunctionName, type WorkerClass, workerClasses } from '../names.ts';

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
  /** Seals slots of every type's log, besides the types that it writes. */
  lists?: true;
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
}

const awsMachines = 'awsmachines.infrastructure.cluster.x-k8s.io';
/** They decide which role of which account a namespace may use, and who is which user. */
const identities = ['awscluster*identities.infrastructure.cluster.x-k8s.io', 'accessentries.capstan.dev'];
/**
 * What controllers write: kinds of Cluster API and Capstan, and Events. Not Secrets, which only those that need them name, and
 * no kind of users.
 */
const ownKinds: Types = { types: ['*.cluster.x-k8s.io', '*.capstan.dev', 'events'], but: identities };
const withSecrets: Types = { ...ownKinds, types: [...ownKinds.types, 'secrets', 'configmaps'] };

const workers = (of: WorkerClass, objects: Types = ownKinds): Uses => ({
  objects,
  work: 'write',
  wakes: [of],
  handles: of,
  webhooks: true,
});

export const uses: Readonly<Record<FunctionName, Uses>> = {
  api: { objects: 'write', secrets: 'write', signs: true, audits: true, webhooks: true },
  // Before its first answer it creates what every installation has. Lists and watches of Secrets are answered by `api`.
  watch: {
    objects: {
      types: [
        'namespaces',
        'installations.capstan.dev',
        'awsclustercontrolleridentities.infrastructure.cluster.x-k8s.io',
      ],
    },
    lists: true,
    counts: true,
    audits: true,
    webhooks: true,
  },
  // It verifies tokens by their digests, so that it need not read Secrets.
  'audit-webhook': {
    looksUp: ['r#audit-webhook/*'],
    requests: ['k#workload-prober#clusters.cluster.x-k8s.io', 'k#autoscaler#scalingplans.capstan.dev'],
    wakes: [controllers['workload-prober'].worker],
  },
  dispatch: { objects: 'list', work: 'write', wakes: workerClasses, switches: true },
  // Reads no Secret, even if a reference names one.
  'reconcile-core': { ...workers('core'), mark: 'read' },
  // After a thaw it requeues all objects.
  'reconcile-aws': {
    ...workers('aws'),
    wakes: workerClasses,
    // The preflight judges the files that users give; the control plane's controller judges authorities.
    secrets: ['bootstrap', 'others'],
    mark: 'write',
    workflows: true,
    account: 'all',
  },
  'reconcile-workload': { ...workers('workload', withSecrets), secrets: 'write', mark: 'write', snapshots: true },
  // It deletes objects of every kind, rewrites owner references, which an encrypted body contains, and encrypts anew what an
  // older version encrypted.
  'reconcile-gc': { ...workers('gc', { types: ['*'] }), secrets: 'write', mark: 'read' },
  operate: { work: 'write', wakes: [controllers['cluster-operation'].worker], switches: true },
  executions: { work: 'write', wakes: [controllers['cluster-operation'].worker], switches: true },
  instances: {
    // A notice that EC2 does not repeat becomes an annotation.
    objects: { types: [awsMachines] },
    work: 'write',
    wakes: [controllers['aws-machine'].worker],
  },
  // The garbage collector looks at encrypted objects, when the sweep requests it.
  sweep: {
    objects: 'list',
    work: 'write',
    wakes: workerClasses,
    switches: true,
    changes: true,
  },
  // It answers CloudFormation over HTTPS, which needs no permission.
  guard: { objects: 'read', work: 'read', mark: 'remove', stack: true, format: true },
};

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
