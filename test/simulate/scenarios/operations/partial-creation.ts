/**
 * A creation passes its deadline when only a part of the cluster exists. The policy decides about
 * that part.
 */

import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlanesOf, type ScenarioContext } from '../context.ts';
import { full } from '../machines/failures.ts';
import { manifestOf } from '../manifest.ts';
import { deleteAndCreateAgain } from './deletions.ts';

const minute = 60_000;
const hour = 60 * minute;
const rule = 'ends in part';
/** The time until a request is noticed, even during a teardown. */
const heard = 15 * minute;

/** The attempts to create it that are still kept. */
const attemptsOf = ({ world, desired }: ScenarioContext): ClusterOperation[] =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === 'default' && spec?.clusterName === desired.name && spec.type === 'create',
    );
const isEnd = (phase = '') => phase === 'TornDown' || phase === 'Held';
const lastOf = ({ world, desired }: ScenarioContext) =>
  world.mirror.get('Cluster', 'default', desired.name)?.metadata.annotations?.['capstan.dev/operation'];
/** The final phase of the last attempt; undefined while it runs. */
const endOf = (context: ScenarioContext): string | undefined => {
  const phase = attemptsOf(context).find(({ metadata }) => metadata.name === lastOf(context))?.status?.phase;
  return isEnd(phase) ? phase : undefined;
};
const isBeingTornDown = (context: ScenarioContext) =>
  attemptsOf(context).some(({ status }) =>
    status?.steps?.some(({ name, verdict }) => name === 'TearDown' && verdict === 'Running'),
  );

const made = ['Machine', 'AWSMachine', 'KubeadmConfig', 'MachineSet'] as const;

/** No object that controllers created remains, and all that the users wrote remain. */
const expectTornDown = (context: ScenarioContext) => {
  const { world, desired } = context;
  const isIts = ({ metadata: { labels = {}, namespace } }: KubeObject) =>
    namespace === 'default' && labels['cluster.x-k8s.io/cluster-name'] === desired.name;
  for (const kind of made) {
    const left = world.mirror.all(kind).filter(isIts);
    if (left.length > 0) throw new Violation(rule, `${kind} ${left[0]!.metadata.name} remains of ${desired.name}`);
  }
  for (const { kind, metadata } of manifestOf(desired))
    if (!world.mirror.get(kind, 'default', metadata.name))
      throw new Violation(rule, `${kind} ${metadata.name}, which its users wrote, is gone with ${desired.name}`);
};

/** Machines are neither created nor deleted. */
const expectKept = (context: ScenarioContext, before: readonly Machine[]) => {
  const uids = (machines: readonly Machine[]) =>
    machines
      .map(({ metadata }) => metadata.uid)
      .sort()
      .join();
  const after = controlPlanesOf(context);
  if (uids(before) !== uids(after) || after.some(({ metadata }) => metadata.deletionTimestamp))
    throw new Violation(rule, `${context.desired.name} is on hold, but its control plane changes`);
};

/** A retry without a change of conditions starts another attempt, which ends in the same way. */
const retryCreation = async (context: ScenarioContext, ask: (word: string) => Promise<unknown>, word: string) => {
  const { clock, desired, world } = context;
  const before = lastOf(context);
  await ask(word);
  const asked = clock.now();
  while (lastOf(context) === before && clock.now() - asked < 2 * hour) {
    await sleep(clock, minute);
    if (!world.isDisturbed && clock.now() - asked > heard)
      throw new Violation(rule, `the retry of ${desired.name} is ignored: ${before} is still its last operation`);
  }
  while (!endOf(context) && clock.now() - asked < 4 * hour) await sleep(clock, minute);
};

/** Only the last attempt is needed. A user may delete any other that has ended. */
const deleteAttempt = async (context: ScenarioContext) => {
  const { client, clock, draw, world } = context;
  const past = attemptsOf(context).filter(
    ({ metadata, status }) => /^(TornDown|Cancelled)$/.test(status?.phase ?? '') && metadata.name !== lastOf(context),
  );
  if (past.length === 0) return;
  const { name } = draw.pick(past).metadata;
  await client.remove('ClusterOperation', name);
  await sleep(clock, heard);
  if (!world.isDisturbed && world.mirror.get('ClusterOperation', 'default', name))
    throw new Violation(rule, `${name} has ended, but its deletion does not complete`);
};

export const createPartially = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(60);
  if (!life.desired) return;
  const { faults } = world.account;
  desired.workers = Math.max(1, desired.workers);
  // Control planes have another instance type, so only the workers are missing.
  desired.instanceType = 'm5.large';
  desired.onFailure = draw.pick(['TearDown', 'TearDown', 'Hold']);
  const { id } = faults.add({ action: 'RunInstances', code: full, type: desired.instanceType });
  await deleteAndCreateAgain(context);
  const patch = (annotations: object) => client.patch('Cluster', desired.name, { metadata: { annotations } });
  await patch({ 'capstan.dev/create-deadline': `${draw.whole(5, 25)}m` });
  const end = clock.now() + 4 * hour;
  const ask = (word: string) => patch({ 'capstan.dev/retry': word });
  // Sometimes retries during the teardown.
  if (draw.chance(0.3)) {
    while (!isBeingTornDown(context) && !endOf(context) && clock.now() < end) await sleep(clock, 10_000);
    if (isBeingTornDown(context)) await retryCreation(context, ask, 'too soon');
  }
  while (!endOf(context) && clock.now() < end) await sleep(clock, minute);
  const isTornDown = endOf(context) === 'TornDown';
  // A frozen worker may create something late.
  if (isTornDown && !world.isHeldUp) expectTornDown(context);
  const kept = controlPlanesOf(context);
  await sleep(clock, draw.spread(minute, 2 * hour));
  if (endOf(context) === 'Held' && !world.isDisturbed) expectKept(context, kept);
  if (endOf(context) && draw.chance(0.3)) {
    for (const word of ['again', 'and again']) await retryCreation(context, ask, word);
    await deleteAttempt(context);
  }
  faults.clear(id);
  await patch({ 'capstan.dev/create-deadline': '2h', 'capstan.dev/retry': 'there is room' });
};
