/** Workers with other volumes, security groups, subnets and markets. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { publisher } from '../../../../simulation/aws/image.ts';
import type { Dice } from '../../dice.ts';
import { hostOf } from '../../invariants/relations.ts';
import { region } from '../../invariants/tags.ts';
import { applyAll, deployment, type Scene } from '../context.ts';
import { infrastructureOf } from '../network/load-balancers.ts';
import { closeGroup, idOfGroup, mark, openGroup } from '../network/security-group.ts';
import { areGone, comes } from '../progress.ts';
import { staying } from '../requests.ts';
import { variant } from './bootstrap-options.ts';
import { interruptSpot } from './spot.ts';

const minute = 60_000;

/** A private subnet of the cluster, by its name in the spec or by its tags. */
const subnetOf = (scene: Scene): object | undefined => {
  const subnets = infrastructureOf(scene)?.spec?.network?.subnets ?? [];
  const places = subnets.filter(({ isPublic, tags = {} }) => !isPublic && Object.keys(tags).length === 0);
  if (places.length === 0) return undefined;
  const { id, resourceID = id } = scene.draw.pick(places);
  return scene.draw.pick([{ id }, { id: resourceID }, { filters: [{ name: 'subnet-id', values: [resourceID] }] }]);
};

const rootOf = (draw: Dice) =>
  draw.pick([
    { size: 24, type: 'gp3', iops: 3500, throughput: 200, deviceName: '/dev/xvda' },
    { size: 30, type: 'io2', iops: 5000, encrypted: false },
    { size: 22, encryptionKey: 'alias/custom', encrypted: false },
  ]);

/** Processor and interface options, on types that have them. */
const featuresOf = (draw: Dice) =>
  draw.pick([
    {
      instanceType: 'm6a.large',
      cpuOptions: { confidentialCompute: 'AMDEncryptedVirtualizationNestedPaging' },
      networkInterfaceType: 'interface',
    },
    { instanceType: 'm8i.large', cpuOptions: { nestedVirtualization: 'enabled' } },
    { cpuOptions: { nestedVirtualization: 'disabled' } },
    { instanceType: 'g4dn.8xlarge', networkInterfaceType: 'efa' },
    {},
  ]);

/** An image by id, by another name, or of another account. */
const imageOf = async ({ client, draw, wish, world: { account } }: Scene): Promise<Record<string, unknown>> => {
  const add = (name: string) => account.addImage(region, { name, architecture: 'x86_64' });
  switch (draw.pick(['id', 'name', 'account'] as const)) {
    case 'id':
      return { ami: { id: add(`golden-${wish.workerVersion}`) } };
    case 'name':
      return { imageLookupFormat: 'capa-ami-flatcar-stable-?{{.K8sVersion}}-*' };
    case 'account': {
      const ImageIds = [add(`capa-ami-ubuntu-24.04-${wish.workerVersion}-1`)];
      const { Images } = await account.uncounted(region, 'DescribeImages', { ImageIds });
      // The cluster's lookup settings apply to machines without their own.
      if (draw.chance(0.5)) await client.patch('AWSCluster', wish.name, { spec: { imageLookupOrg: publisher } });
      return { imageLookupBaseOS: 'ubuntu-24.04', imageLookupOrg: Images[0]!.OwnerId };
    }
  }
};

/** Some of the launch options. */
const launchOf = async (scene: Scene, group: string | undefined): Promise<Record<string, unknown>> => {
  const { draw } = scene;
  const id = group && idOfGroup(scene, group);
  const all: Record<string, unknown> = {
    rootVolume: rootOf(draw),
    nonRootVolumes: [{ deviceName: '/dev/sdk', size: 11, type: 'gp3', encryptionKey: 'alias/data' }],
    placementGroupName: 'together',
    instanceMetadataOptions: {
      httpEndpoint: 'enabled',
      httpTokens: draw.pick(['required', 'optional']),
      httpPutResponseHopLimit: draw.whole(1, 3),
      instanceMetadataTags: 'disabled',
    },
    sshKeyName: draw.pick(['', 'other']),
    additionalTags: { 'example.com/launched': 'otherwise' },
    spotMarketOptions: draw.pick([{}, { maxPrice: '0.5' }]),
    ...(id && {
      additionalSecurityGroups: [draw.pick([{ id }, { filters: [{ name: `tag:${mark}`, values: [group] }] }])],
    }),
  };
  const chosen = Object.entries(all).filter(([field]) => draw.chance(field === 'additionalSecurityGroups' ? 0.8 : 0.5));
  const fields = Object.fromEntries(chosen);
  const subnet = draw.chance(0.5) ? subnetOf(scene) : undefined;
  return {
    ...fields,
    ...featuresOf(draw),
    ...(draw.chance(0.5) && (await imageOf(scene))),
    ...(subnet && { subnet }),
    ...('placementGroupName' in fields && draw.chance(0.5) && { placementGroupPartition: draw.whole(1, 7) }),
    ...(id && draw.chance(0.3) && { securityGroupOverrides: { lb: id } }),
  };
};

export const setLaunchOptions = async (scene: Scene) => {
  const { client, clock, draw, settled, wish, world } = scene;
  await settled(60);
  const vpc = infrastructureOf(scene)?.spec?.network?.vpc?.id;
  if (!vpc || wish.workers === 0) return;
  const group = draw.chance(0.6) ? await openGroup(scene, vpc) : undefined;
  const name = `${deployment(scene)}-${draw.whole(1, 1_000_000)}`;
  const of = `${wish.name}-${wish.instanceType}`;
  const host = variant(scene, 'AWSMachineTemplate', of, name, await launchOf(scene, group));
  if (host) {
    await client.apply(host);
    const template = { spec: { infrastructureRef: { name } } };
    await client.patch('MachineDeployment', deployment(scene), { spec: { template } });
    const isOfIt = (machine: Machine) =>
      hostOf(world.mirror, machine)?.metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'] === name;
    const areThere = () =>
      staying(scene).length > 0 && staying(scene).every((machine) => isOfIt(machine) && machine.status?.nodeRef);
    if (await comes(scene, `workers of ${name}`, areThere)) {
      await interruptSpot(scene, staying(scene).filter(isOfIt));
      await sleep(clock, draw.spread(minute, 70 * minute));
    }
    // If a new worker waits for a user, some former ones may remain, which the restored template
    // matches again.
    const machines = staying(scene).filter(isOfIt);
    await applyAll(scene);
    await comes(scene, `the end of workers of ${name}`, areGone(scene, machines));
  }
  if (group) closeGroup(scene, group);
};
