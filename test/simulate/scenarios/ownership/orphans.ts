/** Resources without an object are reported, and remain until their user deletes them. */

import type { Installation } from '../../../../kinds/capstan/installation/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pausedBy } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { owner, region } from '../../invariants/tags.ts';
import { installation } from '../../site/worker.ts';
import type { World } from '../../site.ts';
import type { ScenarioContext } from '../context.ts';
import { areGone, comes, resyncTimeout } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
/** The scan runs every ten minutes, and a resource must be missing twice. */
const undisturbed = 40 * minute;

const isReported = ({ mirror }: World, id: string) =>
  mirror.all<Installation>('Installation').some(({ status }) => status?.orphans?.some((one) => one.id === id));

const expectReported = async ({ clock, world }: ScenarioContext, id: string, should: boolean, isMeant = () => true) => {
  const began = clock.now();
  for (; isMeant() && isReported(world, id) !== should; await sleep(clock, minute))
    if (clock.now() - began > (world.isDisturbed ? resyncTimeout : undisturbed))
      throw new Violation('reported', `the orphan ${id} is ${should ? 'not reported' : 'reported forever'}`);
};

/** The user retries until the account accepts the call. */
const takeAway = async ({ clock }: ScenarioContext, call: () => Promise<unknown>): Promise<boolean> => {
  for (let tries = 0; tries < 20; tries++)
    try {
      await call();
      return true;
    } catch {
      await sleep(clock, minute);
    }
  return false;
};

/** A user removes the finalizer of a paused AWSMachine, so that its instance keeps running. */
export const releaseHost = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const machines = staying(context).filter(({ status }) => status?.nodeRef);
  if (machines.length === 0) return;
  const machine = draw.pick(machines);
  const { name } = machine.spec!.infrastructureRef;
  const find = () => world.mirror.get<AWSMachine>('AWSMachine', 'default', name);
  const { metadata, spec } = find() ?? {};
  const id = spec?.instanceID;
  if (!id || metadata?.deletionTimestamp) return;
  const pause = { metadata: { annotations: { [pausedBy]: '' } } };
  if ((await client.patch('AWSMachine', name, pause)).code >= 300) return;
  await sleep(clock, draw.spread(minute, 10 * minute));
  if (find()?.metadata.uid !== metadata?.uid) return;
  await client.remove('AWSMachine', name);
  await client.patch('AWSMachine', name, { metadata: { finalizers: null } });
  const isThere = () => world.account.list().some((one) => one.id === id && one.state === 'running');
  if (!find()) await expectReported(context, id, true, isThere);
  await takeAway(context, () => world.account.call(region, 'TerminateInstances', { InstanceIds: [id] }));
  await client.remove('Machine', machine.metadata.name);
  await comes(
    context,
    `the end of ${name}, which the user released`,
    areGone(context, [machine]),
    'RemoteConnectionProbe',
  );
};

/**
 * A resource of an old cluster remains. After the end of the last cluster no scan would find it.
 */
export const leaveOrphan = async (context: ScenarioContext) => {
  const { client, clock, life, settled, desired, world } = context;
  await settled(60);
  const Tags = Object.entries({ 'capstan.dev/installation': installation, [owner]: 'of-long-ago' }).map(
    ([Key, Value]) => ({ Key, Value }),
  );
  const input = { Domain: 'vpc' as const, TagSpecifications: [{ ResourceType: 'elastic-ip' as const, Tags }] };
  life.desired = undefined;
  await client.remove('Cluster', desired.name);
  const isGone = () => !world.mirror.get('Cluster', 'default', desired.name);
  const isLast = () => world.mirror.all('AWSMachine').length === 0;
  // Each deleted AWSMachine triggers a scan. The scan after the last one runs only once.
  for (let waited = 0; !isLast() && waited < 360; waited++) await sleep(clock, minute / 2);
  const made = await world.account.call(region, 'AllocateAddress', input).catch(() => undefined);
  if (!made) return;
  const { AllocationId } = made;
  for (let waited = 0; !isGone() && waited < 180; waited++) await sleep(clock, minute);
  if (isGone()) await expectReported(context, AllocationId, true);
  const release = () => world.account.call(region, 'ReleaseAddress', { AllocationId });
  if (await takeAway(context, release)) await expectReported(context, AllocationId, false);
};
