import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  int32,
  int64,
  listMap,
  object,
  oneOf,
  required,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import { clusterName, conditions, duration } from '../../common/schema.ts';
import { phases, verdicts } from '../../core/contract/operation.ts';
import { operationFacts, operationTypes } from '../facts.ts';
import { specFields, statusFields } from '../fields.ts';

const policiesAfterFailure = [...new Set(operationTypes.flatMap((type) => operationFacts[type].failurePolicies ?? []))];

export const operationSpec = object('What is done to which cluster.', {
  clusterName: required(clusterName()),
  type: required(oneOf('What is done.', operationTypes)),
  fingerprint: required(
    string('Hash of the fields of the cluster that this operation is about.', { pattern: '^[0-9a-f]{16}$' }),
  ),
  attempt: required(int32('Counts the operations of this type of the cluster.', { minimum: 1 })),
  tries: int32('Counts the operations of this type since the last one that succeeded.', { minimum: 1 }),
  region: string('The region of its infrastructure, as it was when the operation began.'),
  retry: string('The value of the annotation capstan.dev/retry that it began with.'),
  policy: object('What the Cluster said when it began.', {
    deadline: duration('How long it may take, pauses not counted.'),
    onFailure: oneOf('What happens when it cannot succeed.', policiesAfterFailure),
  }),
  cancel: boolean('Ends the operation: an upgrade undoes what can be undone, a create keeps what it made.'),
  cancelledBy: string('The user who cancelled it; filled in by the server.', { maxLength: 512 }),
  ...specFields,
});

const step = object('One step.', {
  name: required(string('Name of the step; that of a state of the workflow.', { minLength: 1, maxLength: 80 })),
  started: required(time('When the workflow came to it.')),
  ended: time('When it was decided.'),
  verdict: required(oneOf('How it ended, or Running.', verdicts)),
  reason: string('What it waits for, in one word; absent if only the message says it.', { maxLength: 128 }),
  message: string('What it waits for, or why it ended so.'),
});

const restoredSnapshot = object('The snapshot, as it was when the restore began.', {
  location: required(string('The key of its file in the installation’s storage.', { minLength: 1 })),
  checksum: required(string('sha256: and the hash of the file.', { minLength: 1 })),
  revision: required(int64('The newest revision in the file.', { minimum: 0 })),
  completedAt: time('When the file was complete.'),
  etcdVersion: string('The version of the etcd that it is of.'),
  kubernetesVersion: string('The version of the cluster that it is of.'),
});

export const operationStatus = object('How far it has come.', {
  conditions: conditions(),
  phase: oneOf('Where the operation as a whole stands.', phases),
  step: string('The step that runs, or at which it ended.'),
  message: string('What it waits for, or why it ended so and what to do.'),
  execution: string('Name of the execution of the workflow.'),
  started: time('When the first step began.'),
  ended: time('When the operation ended.'),
  deadline: time('When it will have taken too long; absent while it is paused.'),
  clock: object('The time that counts, which stands still while the cluster is paused or AWS does not answer.', {
    since: time('Since when it runs; absent while it stands still.'),
    seconds: int32('What had been counted then.', { minimum: 0 }),
    seen: time('When it was last checked; a long time without a check was an outage, and does not count.'),
  }),
  remaining: int32('Fewest Machines left to create or remove so far; when it falls, the clock restarts.', {
    minimum: 0,
  }),
  late: boolean('The deadline is over, and the policy is to go on.'),
  snapshot: restoredSnapshot,
  ...statusFields,
  events: atomicList(
    'What happened and still matters when Events are gone, oldest first: refused calls of AWS, outages, pauses and failures. At most 30.',
    object('One of them.', {
      time: required(time('When it was first seen.')),
      type: required(oneOf('As of an Event.', ['Normal', 'Warning'])),
      reason: required(string('In one word; of a refused call, AWS’s code.', { maxLength: 128 })),
      message: required(string('What happened.', { maxLength: 500 })),
    }),
  ),
  steps: listMap('Its steps, in the order in which they began.', ['name'], step),
});

export type OperationSpec = Infer<typeof operationSpec>;
export type OperationStatus = Infer<typeof operationStatus>;
export type OperationStep = NonNullable<OperationStatus['steps']>[number];
export type ClusterOperation = KubeObject<OperationSpec, OperationStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    ClusterOperation: ClusterOperation;
  }
}
