/** Workers with other volumes, security groups, subnets and markets. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { publisher } from '../../../../simulation/aws/image.ts';
import type { Dice } from '../../dice.ts';
import { hostOf } from '../../invariants/relations.ts';
import { region } from '../../invariants/tags.ts';
import { applyAll, deployment, type ScenarioContext } from '../context.ts';
import { infrastructureOf } from '../network/load-balancers.ts';
import { closeGroup, idOfGroup, mark, openGroup } from '../network/security-group.ts';
import { areGone, comes } from '../progress.ts';
import { staying } from '../requests.ts';
import { variant } from './bootstrap-options.ts';
import { interruptSpot } from './spot.ts';

const minute = 60_000;

/** A private subnet of the cluster, by its name in the spec or by its tags. */
const subnetOf = (context: ScenarioContext): object | undefined => {
  const subnets = infrastructureOf(context)?.spec?.network?.subnets ?? [];
  const places = subnets.filter(({ isPublic, tags = {} }) => !isPublic && Object.keys(tags).length === 0);
  if (places.length === 0) return undefined;
  const { id, resourceID = id } = context.draw.pick(places);
  return context.draw.pick([{ id }, { id: resourceID }, { filters: [{ name: 'subnet-id', values: [resourceID] }] }]);
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
const imageOf = async ({
  client,
  draw,
  desired,
  world: { account },
}: ScenarioContext): Promise<Record<string, unknown>> => {
  const add = (name: string) => account.addImage(region, { name, architecture: 'x86_64' });
  switch (draw.pick(['id', 'name', 'account'] as const)) {
    case 'id':
      return { ami: { id: add(`golden-${desired.workerVersion}`) } };
    case 'name':
      return { imageLookupFormat: 'capa-ami-flatcar-stable-?{{.K8sVersion}}-*' };
    case 'account': {
      const ImageIds = [add(`capa-ami-ubuntu-24.04-${desired.workerVersion}-1`)];
      const { Images } = await account.uncounted(region, 'DescribeImages', { ImageIds });
      // The cluster's lookup settings apply to machines without their own.
      if (draw.chance(0.5)) await client.patch('AWSCluster', desired.name, { spec: { imageLookupOrg: publisher } });
      return { imageLookupBaseOS: 'ubuntu-24.04', imageLookupOrg: Images[0]!.OwnerId };
    }
  }
};

/** Some of the launch options. */
const launchOf = async (context: ScenarioContext, group: string | undefined): Promise<Record<string, unknown>> => {
  const { draw } = context;
  const id = group && idOfGroup(context, group);
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
  const subnet = draw.chance(0.5) ? subnetOf(context) : undefined;
  return {
    ...fields,
    ...featuresOf(draw),
    ...(draw.chance(0.5) && (await imageOf(context))),
    ...(subnet && { subnet }),
    ...('placementGroupName' in fields && draw.chance(0.5) && { placementGroupPartition: draw.whole(1, 7) }),
    ...(id && draw.chance(0.3) && { securityGroupOverrides: { lb: id } }),
  };
};

export const setLaunchOptions = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  await settled(60);
  const vpc = infrastructureOf(context)?.spec?.network?.vpc?.id;
  if (!vpc || desired.workers === 0) return;
  const group = draw.chance(0.6) ? await openGroup(context, vpc) : undefined;
  const name = `${deployment(context)}-${draw.whole(1, 1_000_000)}`;
  const of = `${desired.name}-${desired.instanceType}`;
  const host = variant(context, 'AWSMachineTemplate', of, name, await launchOf(context, group));
  if (host) {
    await client.apply(host);
    const template = { spec: { infrastructureRef: { name } } };
    await client.patch('MachineDeployment', deployment(context), { spec: { template } });
    const isOfIt = (machine: Machine) =>
      hostOf(world.mirror, machine)?.metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'] === name;
    const areThere = () =>
      staying(context).length > 0 && staying(context).every((machine) => isOfIt(machine) && machine.status?.nodeRef);
    if (await comes(context, `workers of ${name}`, areThere)) {
      await interruptSpot(context, staying(context).filter(isOfIt));
      await sleep(clock, draw.spread(minute, 70 * minute));
    }
    // If a new worker waits for a user, some former ones may remain, which the restored template
    // matches again.
    const machines = staying(context).filter(isOfIt);
    await applyAll(context);
    await comes(context, `the end of workers of ${name}`, areGone(context, machines));
  }
  if (group) closeGroup(context, group);
};
