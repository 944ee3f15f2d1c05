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
import {
  failurePolicies,
  operationTypes,
  phases,
  upgradeFailurePolicies,
  upgradeSteps,
  verdicts,
} from '../../core/contract/operation.ts';

const upgradedObject = object('A control plane or MachineDeployment whose Machines are replaced.', {
  kind: required(string('Its kind.', { minLength: 1 })),
  name: required(string('Its name.', { minLength: 1 })),
  revision: required(string('Hash of the fields of its spec whose change replaces Machines.', { minLength: 1 })),
  from: string('The lowest version of its Machines when the operation began.'),
  to: string('The version that its spec asks for.'),
});

export const operationSpec = object('What is done to which cluster.', {
  clusterName: required(clusterName()),
  type: required(oneOf('What is done.', operationTypes)),
  fingerprint: required(
    string('Hash of the fields of the cluster that this operation is about.', { pattern: '^[0-9a-f]{16}$' }),
  ),
  attempt: required(int32('Counts the operations of this type of the cluster.', { minimum: 1 })),
  region: string('The region of its infrastructure, as it was when the operation began.'),
  retry: string('The value of the annotation capstan.dev/retry that it began with.'),
  policy: object('What the Cluster said when it began.', {
    deadline: duration('How long it may take, pauses not counted.'),
    onFailure: oneOf('What happens when it cannot succeed.', [
      ...new Set([...failurePolicies, ...upgradeFailurePolicies]),
    ]),
  }),
  adopted: boolean('There were machines or a control plane before the first attempt: nothing is ever torn down.'),
  objects: atomicList('What an upgrade replaces Machines of, in this order.', upgradedObject),
  continued: atomicList('The steps before which an upgrade no longer pauses.', oneOf('A step.', upgradeSteps)),
  snapshot: string('The EtcdSnapshot that a restore restores.', { minLength: 1, maxLength: 253 }),
  cancel: boolean('Ends the operation: an upgrade undoes what can be undone, a create keeps what it made.'),
});

const step = object('One step.', {
  name: required(string('Name of the step; that of a state of the workflow.', { minLength: 1, maxLength: 80 })),
  started: required(time('When the workflow came to it.')),
  ended: time('When it was decided.'),
  verdict: required(oneOf('How it ended, or Running.', verdicts)),
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
  remainingPods: int32('Fewest Pods of add-ons left to update so far; when it falls, the clock restarts.', {
    minimum: 0,
  }),
  late: boolean('The deadline is over, and the policy is to go on.'),
  deciding: time('Since when the guards of a rollback are checked.'),
  guarded: boolean('Every guard held: the control plane goes back although new members serve.'),
  stays: atomicList(
    'What a deletion leaves in the account: it was not made for the cluster.',
    string('A kind and an id.'),
  ),
  snapshot: restoredSnapshot,
  version: string('The version that a restore builds.'),
  finalSnapshot: object('The last snapshot of a cluster that is deleted.', {
    name: string('The EtcdSnapshot; absent if none was taken.'),
    keptUntil: time('When it is deleted.'),
    message: string('Why none was taken.'),
  }),
  before: string('The EtcdSnapshot of the state that a restore replaces; absent if etcd did not answer.'),
  disks: atomicList(
    'Copies of the disks of its hosts that a restore keeps aside where etcd does not answer.',
    string('What it is, and of which disk.'),
  ),
  disksUntil: time('When they are deleted.'),
  hosts: atomicList('Provider IDs of the hosts whose Nodes a restore removes.', string('A provider ID.')),
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
