/** Workers with elastic IPs, which cost money while they are allocated. */

import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { applyAll, deployment, type Scene } from '../context.ts';
import { areGone, comes } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const machineUid = 'capstan.dev/machine-uid';

const hostOf = ({ world }: Scene, { spec }: Machine): AWSMachine | undefined =>
  world.mirror.get<AWSMachine>('AWSMachine', 'default', spec?.infrastructureRef?.name ?? '');

/** Gives workers public addresses for a while, or until their cluster is deleted. */
export const givePublicAddresses = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  const { account, mirror } = world;
  await settled(60);
  const offer = `${wish.name}-${wish.instanceType}`;
  const template = mirror.get<KubeObject<{ template: { spec: object } }>>('AWSMachineTemplate', 'default', offer);
  if (!template) return;
  const { apiVersion, kind, spec } = template;
  const name = `${offer}-${draw.whole(1, 1_000_000)}`;
  // Either an elastic IP, or an address that AWS assigns while the instance runs.
  const asked = draw.pick([{ publicIP: true, elasticIpPool: {} }, { publicIP: true }]);
  const addressed = { template: { spec: { ...spec!.template.spec, ...asked } } };
  await client.apply({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec: addressed });
  const infrastructureRef = { name };
  await client.patch('MachineDeployment', deployment(scene), { spec: { template: { spec: { infrastructureRef } } } });
  const hosts = () => staying(scene).flatMap((machine) => hostOf(scene, machine) ?? []);
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
  if (wish.workers === 0 || !(await comes(scene, what, areAddressed))) return applyAll(scene);
  await sleep(clock, draw.spread(minute, 20 * minute));
  if (draw.chance(0.3)) {
    life.wish = undefined;
    await client.remove('Cluster', wish.name);
    return;
  }
  const machines = staying(scene);
  const uids = hosts().map(({ metadata }) => metadata.uid);
  await applyAll(scene);
  await comes(scene, 'the end of workers with addresses', areGone(scene, machines));
  const areReleased = () => uids.every((uid) => addressesOf(uid).length === 0);
  await comes(scene, 'the end of addresses whose machines are gone', areReleased);
};
