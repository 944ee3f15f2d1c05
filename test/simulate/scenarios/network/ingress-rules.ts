/** Ingress rules of the spec, which may change at any time. */

import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { IpPermission } from '../../../../kinds/ports/cloud/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';

const region = 'eu-central-1';
const minute = 60_000;
const role = 'sigs.k8s.io/cluster-api-provider-aws/role';
const everywhere = '0.0.0.0/0';
const services = 30_000;

/** The allowed sources of each port. */
type Ways = Readonly<Record<number, readonly string[]>>;
interface Change {
  /** The part of the network spec with these rules. */
  spec: object;
  group: string;
  ways: Ways;
}
const rule = (port: number, cidrBlocks: readonly string[]) => ({
  description: 'custom',
  protocol: 'tcp',
  fromPort: port,
  toPort: port,
  cidrBlocks,
});
const changes: readonly Change[] = [
  { spec: { nodePortIngressRuleCidrBlocks: ['10.0.0.0/8'] }, group: 'node', ways: { [services]: ['10.0.0.0/8'] } },
  {
    spec: { additionalNodeIngressRules: [rule(9100, ['10.1.0.0/16', '10.2.0.0/16'])] },
    group: 'node',
    ways: { 9100: ['10.1.0.0/16', '10.2.0.0/16'] },
  },
  {
    spec: { additionalControlPlaneIngressRules: [rule(9200, ['10.3.0.0/16'])] },
    group: 'controlplane',
    ways: { 9200: ['10.3.0.0/16'] },
  },
];
/** The default rules. */
const defaults: Ways = { [services]: [everywhere], 9100: [], 9200: [] };

const blocksOf = (permissions: readonly IpPermission[], port: number): string =>
  permissions
    .filter(({ FromPort }) => FromPort === port)
    .flatMap(({ IpRanges = [] }) => IpRanges.map(({ CidrIp }) => CidrIp))
    .sort()
    .join(' ');

export const changeIngress = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  const { account, mirror } = world;
  await settled(60);
  const { metadata, spec } = mirror.get<Cluster>('Cluster', 'default', desired.name) ?? {};
  const infrastructure = spec?.infrastructureRef?.name ?? '';
  if (!metadata || !mirror.get<AWSCluster>('AWSCluster', 'default', infrastructure)) return;
  const { spec: network, group, ways } = draw.pick(changes);
  const areOpen = (should: Ways) => async () => {
    const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', {});
    const own = SecurityGroups.find(({ Tags }) => {
      const tagOf = (key: string) => Tags.find(({ Key }) => Key === key)?.Value;
      return tagOf('capstan.dev/cluster-uid') === metadata.uid && tagOf(role) === group;
    });
    return Object.keys(ways).every(
      (port) => blocksOf(own?.IpPermissions ?? [], Number(port)) === [...(should[Number(port)] ?? [])].sort().join(' '),
    );
  };
  const write = (fields: object) => client.patch('AWSCluster', infrastructure, { spec: { network: fields } });
  await write(network);
  const subject = `port ${Object.keys(ways).join()} of ${group}`;
  await comes(context, `that ${subject} matches the spec`, areOpen(ways));
  await sleep(clock, draw.spread(1000, 10 * minute));
  await write(Object.fromEntries(Object.keys(network).map((field) => [field, null])));
  await comes(context, `that ${subject} is back to the default`, areOpen(defaults));
};
