/** How the API servers are balanced is said in the infrastructure's spec, and may be said anew at any time. */
import type { AWSCluster } from '../../../kinds/aws-cluster/index.ts';
import type { Cluster } from '../../../kinds/cluster/index.ts';
import { sleep } from '../../../machinery/ports.ts';
import { comes } from './comes.ts';
import type { Scene } from './scene.ts';

const region = 'eu-central-1';
const minute = 60_000;
const role = 'sigs.k8s.io/cluster-api-provider-aws/role';
const api = 6443;
const other = 9443;

/** What there is of it in the account, in a few words each. */
interface Balancing {
  'over zones': string;
  checked: string;
  groups: string;
  open: string;
  ports: string;
}
const usual: Partial<Balancing> = {
  'over zones': 'false',
  checked: '5 4 2 6',
  groups: 'apiserver-lb',
  ports: `${api}`,
};
/** All there is, in two halves: whoever has to comes in. */
const halves = ['0.0.0.0/1', '128.0.0.0/1'];

const balancingOf = async ({ world: { account } }: Scene, uid: string, arn: string): Promise<Balancing> => {
  const LoadBalancerArn = arn;
  const [{ LoadBalancers }, { Attributes }, { Listeners }, { TargetGroups }, { SecurityGroups }] = await Promise.all([
    account.call(region, 'DescribeLoadBalancers', { LoadBalancerArns: [arn] }),
    account.call(region, 'DescribeLoadBalancerAttributes', { LoadBalancerArn }),
    account.call(region, 'DescribeListeners', { LoadBalancerArn }),
    account.call(region, 'DescribeTargetGroups', {}),
    account.call(region, 'DescribeSecurityGroups', {}),
  ]);
  const roleOf = ({ Tags }: (typeof SecurityGroups)[number]) => {
    const tagOf = (key: string) => Tags.find(({ Key }) => Key === key)?.Value;
    return tagOf('capstan.dev/cluster-uid') === uid ? tagOf(role) : undefined;
  };
  const roles = new Map(SecurityGroups.map((group) => [group.GroupId, roleOf(group)]));
  const entrance = SecurityGroups.find((group) => roleOf(group) === 'apiserver-lb');
  const check = TargetGroups.find((group) => group.Port === api && group.LoadBalancerArns.includes(arn));
  const forwarded = Listeners.filter(({ Port, DefaultActions }) =>
    TargetGroups.some((group) => group.Port === Port && group.TargetGroupArn === DefaultActions[0]?.TargetGroupArn),
  );
  const sorted = (texts: readonly unknown[]) => texts.map(String).sort().join(' ');
  return {
    'over zones': String(Attributes.find(({ Key }) => Key === 'load_balancing.cross_zone.enabled')?.Value),
    checked: [
      check?.HealthCheckIntervalSeconds,
      check?.HealthCheckTimeoutSeconds,
      check?.HealthyThresholdCount,
      check?.UnhealthyThresholdCount,
    ].join(' '),
    groups: sorted((LoadBalancers[0]?.SecurityGroups ?? []).map((id) => roles.get(id))),
    open: sorted(
      (entrance?.IpPermissions ?? [])
        .filter(({ FromPort }) => FromPort === api)
        .flatMap(({ IpRanges = [] }) => IpRanges.map(({ CidrIp }) => CidrIp))
        // From there its own machines come.
        .filter((block) => !block?.endsWith('/32')),
    ),
    ports: sorted(forwarded.map(({ Port }) => Port)),
  };
};

const rule = (block: string) => ({
  description: block,
  protocol: 'tcp',
  fromPort: api,
  toPort: api,
  cidrBlocks: [block],
});

export const balanceOtherwise = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  const { mirror, account } = world;
  await settled(60);
  const { metadata, spec } = mirror.get<Cluster>('Cluster', 'default', wish.name) ?? {};
  const name = spec?.infrastructureRef?.name ?? '';
  const arn = mirror.get<AWSCluster>('AWSCluster', 'default', name)?.status?.networkStatus?.apiServerElb?.arn;
  if (!metadata || !arn) return;
  const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', {});
  const isOfNodes = ({ Tags }: (typeof SecurityGroups)[number]) =>
    Tags.some(({ Value }) => Value === metadata.uid) && Tags.some(({ Key, Value }) => Key === role && Value === 'node');
  const { GroupId } = SecurityGroups.find(isOfNodes) ?? {};
  const changes: readonly { says: Record<string, unknown>; so: Partial<Balancing>; before: Partial<Balancing> }[] = [
    { says: { crossZoneLoadBalancing: true }, so: { 'over zones': 'true' }, before: usual },
    {
      says: {
        healthCheck: { intervalSeconds: 10, timeoutSeconds: 8, thresholdCount: 3, unhealthyThresholdCount: 4 },
      },
      so: { checked: '10 8 3 4' },
      before: usual,
    },
    { says: { additionalSecurityGroups: [GroupId] }, so: { groups: 'apiserver-lb node' }, before: usual },
    { says: { ingressRules: halves.map(rule) }, so: { open: halves.join(' ') }, before: { open: '0.0.0.0/0' } },
    { says: { additionalListeners: [{ port: other, protocol: 'TCP' }] }, so: { ports: `${api} ${other}` }, before: {} },
  ];
  const { says, so, before } = draw.pick(changes);
  const [what] = Object.keys(says) as [string];
  const isAs = (wanted: Partial<Balancing>) => async () => {
    const is = await balancingOf(scene, metadata.uid!, arn);
    return Object.keys(so).every((key) => wanted[key as keyof Balancing] === is[key as keyof Balancing]);
  };
  const write = (said: object) =>
    client.patch('AWSCluster', name, { spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', ...said } } });
  const { code, body } = await write(says);
  if (code >= 300) throw new Error(`a user is refused: ${body.message}`);
  if (!(await comes(scene, `that ${what} of the load balancer is acted on`, isAs(so)))) return;
  await sleep(clock, draw.spread(1000, 10 * minute));
  if (Object.keys(before).length > 0) {
    await write({ [what]: null });
    await comes(scene, `that ${what} of the load balancer is as it was`, isAs(before));
    return;
  }
  // What once was forwarded is so for as long as there is a cluster.
  life.wish = undefined;
  await client.remove('Cluster', wish.name);
};
