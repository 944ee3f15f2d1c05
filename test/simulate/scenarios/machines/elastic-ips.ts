/** Workers with elastic IPs, which cost money while they are allocated. */

import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { applyAll, deployment, type ScenarioContext } from '../context.ts';
import { areGone, comes } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const machineUid = 'capstan.dev/machine-uid';

const hostOf = ({ world }: ScenarioContext, { spec }: Machine): AWSMachine | undefined =>
  world.mirror.get<AWSMachine>('AWSMachine', 'default', spec?.infrastructureRef?.name ?? '');

/** Gives workers public addresses for a while, or until their cluster is deleted. */
export const givePublicAddresses = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  const { account, mirror } = world;
  await settled(60);
  const offer = `${desired.name}-${desired.instanceType}`;
  const template = mirror.get<KubeObject<{ template: { spec: object } }>>('AWSMachineTemplate', 'default', offer);
  if (!template) return;
  const { apiVersion, kind, spec } = template;
  const name = `${offer}-${draw.whole(1, 1_000_000)}`;
  // Either an elastic IP, or an address that AWS assigns while the instance runs.
  const asked = draw.pick([{ publicIP: true, elasticIpPool: {} }, { publicIP: true }]);
  const addressed = { template: { spec: { ...spec!.template.spec, ...asked } } };
  await client.apply({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec: addressed });
  const infrastructureRef = { name };
  await client.patch('MachineDeployment', deployment(context), { spec: { template: { spec: { infrastructureRef } } } });
  const hosts = () => staying(context).flatMap((machine) => hostOf(context, machine) ?? []);
  const addressesOf = (uid = '') =>
    account.list().filter(({ type, tags }) => type === 'elastic-ip' && tags[machineUid] === uid);
  const isAddressed = ({ metadata, spec: host, status }: AWSMachine) =>
    host?.publicIP === true &&
    (host.elasticIpPool
      ? addressesOf(metadata.uid).some(({ state }) => state === 'associated')
      : status?.addresses?.some(({ type }) => type === 'ExternalIP'));
  const areAddressed = () => hosts().length > 0 && hosts().every(isAddressed);
  const what = `addresses for workers of ${name}`;
  // Some workers may wait for a user, or may never have started.
  if (desired.workers === 0 || !(await comes(context, what, areAddressed))) return applyAll(context);
  await sleep(clock, draw.spread(minute, 20 * minute));
  if (draw.chance(0.3)) {
    life.desired = undefined;
    await client.remove('Cluster', desired.name);
    return;
  }
  const machines = staying(context);
  const uids = hosts().map(({ metadata }) => metadata.uid);
  await applyAll(context);
  await comes(context, 'the end of workers with addresses', areGone(context, machines));
  const areReleased = () => uids.every((uid) => addressesOf(uid).length === 0);
  await comes(context, 'the end of addresses whose machines are gone', areReleased);
};
