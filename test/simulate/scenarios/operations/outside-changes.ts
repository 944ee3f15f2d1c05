/** Operations and executions that are changed from outside. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { CloudAction } from '../../../../kinds/ports/cloud/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { cleanupHook } from '../../invariants/control-plane/quorum.ts';
import { Violation } from '../../invariants/rule.ts';
import type { ScenarioContext } from '../context.ts';
import { promptly, resyncTimeout } from '../progress.ts';

const minute = 60_000;

const runningOf = ({ world, desired }: ScenarioContext): ClusterOperation | undefined =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .find(
      ({ metadata, spec, status }) =>
        metadata.namespace === 'default' && status?.phase === 'Running' && spec?.clusterName === desired.name,
    );

/** A user cancels an operation, and sometimes retries it. */
export const cancelOperation = async (context: ScenarioContext) => {
  const { client, clock, draw, world, desired } = context;
  const operation = runningOf(context);
  if (!operation) return;
  // A deleted operation of a deletion is replaced by another one.
  if (operation.spec?.type === 'delete' && draw.chance(0.5)) {
    await client.remove('ClusterOperation', operation.metadata.name);
    return;
  }
  await client.patch('ClusterOperation', operation.metadata.name, { spec: { cancel: true } });
  if (operation.spec?.type !== 'create' || draw.chance(0.5)) return;
  await sleep(clock, draw.spread(1000, 20 * minute));
  const retry = `again-${draw.whole(1, 1_000_000)}`;
  await client.patch('Cluster', desired.name, { metadata: { annotations: { 'capstan.dev/retry': retry } } });
  const isBegun = () =>
    world.mirror.all<ClusterOperation>('ClusterOperation').some(({ spec }) => spec?.retry === retry);
  // An Available cluster and one in deletion need no other operation.
  const isNeeded = () => {
    const { annotations = {}, deletionTimestamp } =
      world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.metadata ?? {};
    const isAsked = annotations['capstan.dev/retry'] === retry && deletionTimestamp === undefined;
    return isAsked && annotations['capstan.dev/was-available'] === undefined;
  };
  const limit = clock.now() + (world.isHeldUp ? resyncTimeout : promptly);
  for (; isNeeded() && !isBegun(); await sleep(clock, minute))
    if (clock.now() > limit)
      throw new Violation('operations end', `no operation begins for the retry ${retry} of ${desired.name}`);
};

/** Loses the task tokens of the running operation. */
export const loseToken = async (context: ScenarioContext) => {
  const operation = runningOf(context);
  if (!operation) return;
  const { namespace, name } = operation.metadata;
  await context.world.loseTokens(`${namespace}/${name}`);
};

/** Starts the latest task again with the same token. */
export const startTaskTwice = (context: ScenarioContext) => context.world.repeatTask();

export const crashTask = async ({ world, draw }: ScenarioContext) => world.crashTasks(draw.whole(1, 8));

export const stopExecution = async (context: ScenarioContext) => {
  const { executions } = context.world;
  const running = (await executions.list()).filter(({ status }) => status === 'RUNNING');
  if (running.length === 0) return;
  const { definition, name } = context.draw.pick(running);
  await executions.stop({ definition, name, error: 'Stopped', cause: 'a user stopped it' });
};

const denied: readonly CloudAction[] = [
  'DescribeInstances',
  'DescribeSubnets',
  'RunInstances',
  'TerminateInstances',
  'CreateLoadBalancer',
  'CreateSecurityGroup',
  'CreateTags',
  'DeleteSecurityGroup',
];
/** An IAM policy denies an action for a while. */
export const denyAccess = async ({ world, clock, draw }: ScenarioContext) => {
  const { id } = world.account.faults.add({ action: draw.pick(denied), code: 'UnauthorizedOperation' });
  await sleep(clock, draw.spread(10_000, 60 * minute));
  world.account.faults.clear(id);
};

/**
 * Whether the Machine is an etcd member. Removing its finalizer may lose the quorum, which no
 * controller can prevent.
 */
const isMember = ({ metadata }: KubeObject) => metadata.annotations?.[cleanupHook] !== undefined;
/** An impatient user removes the finalizer of an object in deletion. */
export const removeFinalizer = async ({ world, client, draw }: ScenarioContext) => {
  const stuck = (['Machine', 'MachineSet', 'KubeadmConfig'] as const)
    .flatMap((kind) => world.mirror.all(kind))
    .filter((one) => one.metadata.deletionTimestamp && one.metadata.finalizers?.length && !isMember(one));
  if (stuck.length === 0) return;
  const { kind, metadata } = draw.pick(stuck);
  await client.patch(kind, metadata.name, { metadata: { finalizers: [] } });
};
