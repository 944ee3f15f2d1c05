/** Every manifest in examples/ becomes an Available cluster, and leaves nothing behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createNetwork } from '../../cli/cloud-network.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';
import type { NodeObject } from '../../simulation/workload/objects.ts';
import { expectNothingDoubled, isSettled, remains } from './checks.ts';
import { machinesIn } from './pools.fixture.ts';
import { createWorld, type World } from './world.ts';

const folder = join(import.meta.dirname, '../../examples');
const region = 'eu-central-1';
/** They are brought up by fixed-addresses.test.ts, create.test.ts, delete.test.ts and gitops.test.ts. */
const elsewhere = [
  'fixed-addresses.yaml',
  'gitops.yaml',
  'quickstart.yaml',
  'classic-load-balancer.yaml',
  'three-control-planes.yaml',
];
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !elsewhere.includes(name));

let world: World;
afterEach(() => world.end());

const call = (action: string, input: object) =>
  world.wait(world.system.account.call(region, action as never, input as never)) as Promise<never>;

/** What a user makes first, and puts into the manifest in place of its example ids. */
const prepare: Record<string, (text: string) => Promise<string>> = {
  'other-account.yaml': async (text) => {
    const { account } = world.system;
    account.other('222233334444').trust('clusters', { trusts: [account.id], externalId: 'ours' });
    return text;
  },
  'own-network.yaml': async (text) => {
    const network = await createNetwork(call, { region, name: 'shared', cidr: '10.1.0.0/16', zones: 3 });
    const subnets = [...network.publicSubnets, ...network.privateSubnets];
    return text
      .replace('vpc-0123456789abcdef0', network.vpc)
      .replaceAll(/subnet-0123456789abcdef(\d)/g, (_, at) => subnets[Number(at)]!);
  },
  'eks.yaml': async (text) => {
    const network = await createNetwork(call, { region, name: 'shared', cidr: '10.1.0.0/16', zones: 2 });
    return text
      .replace('vpc-0123456789abcdef0', network.vpc)
      .replaceAll(/subnet-0123456789abcdef(\d)/g, (_, at) => network.privateSubnets[Number(at) - 3]!);
  },
  'own-image.yaml': async (text) => {
    const Filters = [{ Name: 'name', Values: ['capa-ami-ubuntu-24.04-?1.35.0-*'] }];
    const { Images } = (await call('DescribeImages', { Filters })) as { Images: { ImageId: string }[] };
    return text.replaceAll('ami-0123456789abcdef0', Images[0]!.ImageId);
  },
};

const zonesOf = (): string[] =>
  world
    .live('instance')
    .map(({ zone }) => zone)
    .toSorted();
const annotationsOf = (kind: 'Cluster', name: string) => world.find(kind, name)?.metadata.annotations;
const nodes = async (): Promise<KubeObject[]> =>
  world.wait(world.system.guests.clusters.all()[0]!.list('nodes')) as Promise<KubeObject[]>;
const labelled = async (label: string): Promise<number> =>
  (await nodes()).filter(({ metadata }) => metadata.labels?.[label.split('=')[0]!] === label.split('=')[1]).length;

/** What the first lines of a manifest promise, beyond an Available cluster. */
const proofs: Record<string, () => void | Promise<void>> = {
  'own-network.yaml': () => expect(world.live('vpc')).toHaveLength(1),
  'three-zones.yaml': () => expect(zonesOf()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'].map((zone) => region + zone)),
  'spot-and-on-demand.yaml': async () => expect(await labelled('example.com/capacity=spot')).toBe(2),
  'taints-and-labels.yaml': async () => {
    expect(await labelled('team.node.cluster.x-k8s.io/name=data')).toBe(1);
    expect(await labelled('example.com/disk=fast')).toBe(1);
  },
  'machine-health-check.yaml': () =>
    expect(world.all('MachineHealthCheck').map(({ status }) => status?.expectedMachines)).toEqual([3, 3]),
  'autoscaling.yaml': () => expect(machinesIn(world, 'autoscaling-web')).not.toHaveLength(0),
  'scheduled-snapshots.yaml': () =>
    expect(annotationsOf('Cluster', 'scheduled-snapshots')).toHaveProperty(['capstan.dev/snapshot-schedule'], '6h'),
  'ipv6.yaml': async () => {
    const families = (await nodes()).map((node) =>
      (node as NodeObject).status?.addresses?.flatMap(({ type, address }) =>
        type === 'InternalIP' ? [address.includes(':') ? 6 : 4] : [],
      ),
    );
    expect(families).toEqual([
      [4, 6],
      [4, 6],
      [4, 6],
    ]);
  },
  'private-endpoint.yaml': () => expect(world.find('AWSCluster', 'private-endpoint')?.status?.bastion).toBeDefined(),
};

it.each(names)('%s becomes Available, and nothing is left of it', async (name) => {
  world = await createWorld({ requireCni: name.startsWith('network-plugin') });
  const written = readFileSync(join(folder, name), 'utf8');
  expect(written.startsWith('# ')).toBe(true);
  const text = (await prepare[name]?.(written)) ?? written;
  const before = world.live().map(({ id }) => id);
  const objects = yamlDocuments(text).map((document) => document.toJS() as KubeObject);
  for (const object of objects) {
    const { code, body } = await world.request('POST', `${world.pathOf(object)}?fieldValidation=Strict`, object);
    expect(code, `${object.kind} ${object.metadata.name}: ${body.message}`).toBe(201);
  }
  await world.until('settled', () => isSettled(world), 40);
  await proofs[name]?.();
  expect(world.errors).toEqual([]);
  if (before.length === 0) expectNothingDoubled(world);
  const cluster = objects.find(({ kind }) => kind === 'Cluster')!;
  await world.remove('Cluster', cluster.metadata.name);
  const left = () => remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
  await world.until('nothing remains', () => left().length === 0, 60);
});
