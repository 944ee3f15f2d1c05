import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type {
  AWSCluster,
  AWSClusterSpec,
  AWSClusterStatus,
} from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { LoadBalancer, Tag, TargetGroup } from '../../../../kinds/ports/cloud.ts';
import type { World } from '../../site.ts';
import { hostOf, infrastructureOf } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { association, owner, region, role, sorted, tagOf } from '../tags.ts';

const everywhere = '0.0.0.0/0';

export type BalancerSpec = NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>;

type Told = NonNullable<NonNullable<AWSClusterStatus['networkStatus']>['apiServerElb']>;

/** Of Cluster API, where nothing is said. */
const usual = { intervalSeconds: 5, timeoutSeconds: 4, thresholdCount: 2, unhealthyThresholdCount: 6 };

const checkIn = (group: TargetGroup) => ({
  protocol: group.HealthCheckProtocol,
  port: group.HealthCheckPort,
  path: group.HealthCheckPath,
  intervalSeconds: group.HealthCheckIntervalSeconds,
  timeoutSeconds: group.HealthCheckTimeoutSeconds,
  thresholdCount: group.HealthyThresholdCount,
  unhealthyThresholdCount: group.UnhealthyThresholdCount,
});

/** By port, how those behind it are asked. */
const portsOf = (spec: BalancerSpec, apiPort: number): Map<number, ReturnType<typeof checkIn>> => {
  const isHttp = /^HTTPS?$/.test(spec.healthCheckProtocol ?? '');
  const api = {
    protocol: isHttp ? spec.healthCheckProtocol! : 'TCP',
    port: 'traffic-port',
    path: isHttp ? '/readyz' : undefined,
    ...usual,
    ...spec.healthCheck,
  };
  const others = (spec.additionalListeners ?? []).map(({ port, healthCheck = {} }) => {
    const { protocol = 'TCP', port: asked = 'traffic-port', path = '/', ...timing } = healthCheck;
    return [port, { protocol, port: asked, path: protocol === 'TCP' ? undefined : path, ...usual, ...timing }] as const;
  });
  return new Map([[apiPort, api], ...others]);
};

const each = (texts: Iterable<string>) => sorted(new Set(texts));

/** What differs, and how. */
class Differs extends Error {}
const expect = (what: string, is: unknown, should: unknown) => {
  const [one, other] = [is, should].map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  if (one !== other) throw new Differs(`${what}: ${one}, and not ${other}`);
};

const looker = ({ account, mirror }: World, cluster: Cluster, infrastructure: AWSCluster) => {
  const { uid, name } = cluster.metadata;
  const apiPort = cluster.spec?.clusterNetwork?.apiServerPort ?? 6443;
  const attributesOf = async (tell: Promise<{ Attributes: Tag[] }>) => {
    const { Attributes } = await tell;
    return (key: string) => tagOf(Attributes, key);
  };

  /** Subnets in which the network has a place for it, as its routes say. */
  const placesFor = async (scheme: string) => {
    const { Subnets } = await account.uncounted(region, 'DescribeSubnets', {});
    const { RouteTables } = await account.uncounted(region, 'DescribeRouteTables', {});
    const named = infrastructure.spec?.network?.subnets?.map(({ id, resourceID }) => resourceID ?? id) ?? [];
    const own = Subnets.filter(({ SubnetId }) => named.includes(SubnetId)).filter(
      ({ Tags }) => tagOf(Tags, association) !== 'secondary',
    );
    const isPublic = ({ SubnetId, VpcId }: (typeof own)[number]) => {
      const ofNetwork = RouteTables.filter((one) => one.VpcId === VpcId);
      const table =
        ofNetwork.find(({ Associations }) => Associations.some((one) => one.SubnetId === SubnetId)) ??
        ofNetwork.find(({ Associations }) => Associations.some(({ Main }) => Main));
      const out = table?.Routes.find(({ DestinationCidrBlock }) => DestinationCidrBlock === everywhere);
      return out?.GatewayId?.startsWith('igw-') ?? false;
    };
    const fit = own.filter((subnet) => isPublic(subnet) === (scheme !== 'internal'));
    return fit.length > 0 ? fit : own;
  };

  const controlPlanes = (): string =>
    each(
      mirror
        .all<Machine>('Machine')
        .filter(({ metadata: { labels = {}, namespace, deletionTimestamp } }) => {
          const isIts = namespace === 'default' && labels['cluster.x-k8s.io/cluster-name'] === name;
          return isIts && 'cluster.x-k8s.io/control-plane' in labels && !deletionTimestamp;
        })
        .flatMap((machine) => hostOf(mirror, machine)?.spec?.instanceID ?? []),
    );

  const expectBehind = async (
    port: number,
    arn: string | undefined,
    check: ReturnType<typeof checkIn>,
    spec: BalancerSpec,
  ) => {
    const { TargetGroups } = await account.uncounted(region, 'DescribeTargetGroups', {});
    const group = TargetGroups.find(({ TargetGroupArn }) => TargetGroupArn === arn);
    if (!group) throw new Differs(`nobody is behind port ${port}`);
    const { TargetGroupArn } = group;
    expect(`protocol behind ${port}`, `${group.Protocol} ${group.Port}`, `TCP ${port}`);
    for (const [what, should] of Object.entries(check))
      expect(`${what} of the check of ${port}`, checkIn(group)[what as keyof typeof check], should);
    const told = await attributesOf(account.uncounted(region, 'DescribeTargetGroupAttributes', { TargetGroupArn }));
    // With its own address a machine could not reach itself.
    expect(
      `client addresses behind ${port}`,
      told('preserve_client_ip.enabled'),
      String(spec.preserveClientIP ?? false),
    );
    const unhealthy = 'target_health_state.unhealthy';
    expect(`whether the ill of ${port} are cut off`, told(`${unhealthy}.connection_termination.enabled`), 'false');
    expect(`time for the ill of ${port}`, told(`${unhealthy}.draining_interval_seconds`), '300');
    const { TargetHealthDescriptions } = await account.uncounted(region, 'DescribeTargetHealth', { TargetGroupArn });
    const staying = TargetHealthDescriptions.filter(({ TargetHealth }) => TargetHealth.State !== 'draining');
    expect(`who is behind ${port}`, each(staying.map(({ Target }) => Target.Id)), controlPlanes());
    return group;
  };

  return async (balancer: LoadBalancer, spec: BalancerSpec) => {
    const { LoadBalancerArn, LoadBalancerName, AvailabilityZones, SecurityGroups } = balancer;
    if (spec.name) expect('name', LoadBalancerName, spec.name);
    expect('kind', balancer.Type, 'network');
    const places = await placesFor(balancer.Scheme);
    const zones = each(AvailabilityZones.map(({ ZoneName }) => ZoneName));
    const named = infrastructure.spec?.network?.subnets?.filter(
      ({ id, resourceID = '' }) => spec.subnets?.includes(id ?? '') || spec.subnets?.includes(resourceID),
    );
    const wanted = spec.subnets
      ? (named ?? []).map((subnet) => subnet.availabilityZone ?? '')
      : places.map((subnet) => subnet.AvailabilityZone);
    expect('zones', zones, each(wanted));
    const stray = AvailabilityZones.find((zone) => !places.some(({ SubnetId }) => SubnetId === zone.SubnetId));
    if (!spec.subnets) expect('a subnet that is no place for it', stray?.SubnetId, undefined);
    const told = await attributesOf(account.uncounted(region, 'DescribeLoadBalancerAttributes', { LoadBalancerArn }));
    const isCrossing = String(spec.crossZoneLoadBalancing ?? false);
    expect('whether zones serve each other', told('load_balancing.cross_zone.enabled'), isCrossing);
    const { SecurityGroups: all } = await account.uncounted(region, 'DescribeSecurityGroups', {});
    const own = all.find(({ Tags }) => tagOf(Tags, owner) === uid && tagOf(Tags, role) === 'apiserver-lb');
    expect('groups', each(SecurityGroups), each([own?.GroupId ?? '', ...(spec.additionalSecurityGroups ?? [])]));
    const { Listeners } = await account.uncounted(region, 'DescribeListeners', { LoadBalancerArn });
    const behind = new Map<number, TargetGroup>();
    for (const [port, check] of portsOf(spec, apiPort)) {
      const listener = Listeners.find((one) => one.Port === port);
      expect(`what listens at ${port}`, listener?.Protocol, 'TCP');
      const [to] = listener?.DefaultActions ?? [];
      behind.set(port, await expectBehind(port, to?.TargetGroupArn, check, spec));
    }
    return behind;
  };
};

/** To machines in other zones it sends nobody, so that none of the control plane is to be there. */
const expectDomains = ({ status }: AWSCluster, { AvailabilityZones }: LoadBalancer) => {
  const zones = new Set(AvailabilityZones.map(({ ZoneName }) => ZoneName));
  for (const [zone, { controlPlane = false }] of Object.entries(status?.failureDomains ?? {}))
    expect(`whether ${zone} takes machines of the control plane`, controlPlane, zones.has(zone));
};

/** What is said of it is what there is. */
const expectTold = (told: Told | undefined, balancer: LoadBalancer, behind: ReadonlyMap<number, TargetGroup>) => {
  const { AvailabilityZones, SecurityGroups } = balancer;
  expect('the name that is told', told?.name, balancer.LoadBalancerName);
  expect('the ARN that is told', told?.arn, balancer.LoadBalancerArn);
  expect('the DNS name that is told', told?.dnsName, balancer.DNSName);
  expect('who is told to find it', told?.scheme, balancer.Scheme);
  const zones = AvailabilityZones.map(({ ZoneName }) => ZoneName);
  expect('the zones that are told', each(told?.availabilityZones ?? []), each(zones));
  const subnets = AvailabilityZones.map(({ SubnetId }) => SubnetId);
  expect('the subnets that are told', each(told?.subnetIds ?? []), each(subnets));
  expect('the groups that are told', each(told?.securityGroupIds ?? []), each(SecurityGroups));
  const ports = (told?.elbListeners ?? []).map(({ port }) => String(port));
  expect('the ports that are told', each(ports), each([...behind.keys()].map(String)));
  for (const { port, targetGroup } of told?.elbListeners ?? []) {
    const group = behind.get(port)!;
    expect(
      `who is told to be behind ${port}`,
      `${targetGroup.name} ${targetGroup.port}`,
      `${group.TargetGroupName} ${port}`,
    );
    const { port: asked, ...check } = checkIn(group);
    const should = { ...check, port: asked === 'traffic-port' ? String(port) : asked };
    for (const [what, value] of Object.entries(should))
      expect(
        `${what} that is told of the check of ${port}`,
        targetGroup.targetGroupHealthCheck?.[what as keyof typeof should],
        value,
      );
  }
};

/** In what a load balancer of a cluster is not as its spec says; undefined when all are. */
export const unbalanced = async (world: World, name: string): Promise<string | undefined> => {
  const { account, mirror } = world;
  const cluster = mirror.get<Cluster>('Cluster', 'default', name);
  const infrastructure = infrastructureOf(mirror, cluster);
  if (!cluster || !infrastructure) return undefined;
  const arns = new Set(
    account
      .list()
      .filter(({ type, tags }) => type === 'load-balancer' && tags[owner] === cluster.metadata.uid)
      .map(({ id }) => id),
  );
  const { LoadBalancers } = await account.uncounted(region, 'DescribeLoadBalancers', {});
  const own = LoadBalancers.filter(({ LoadBalancerArn }) => arns.has(LoadBalancerArn));
  const { controlPlaneLoadBalancer: first, secondaryControlPlaneLoadBalancer: second } = infrastructure.spec ?? {};
  const specs = [first, second].filter((one) => one !== undefined && one.loadBalancerType !== 'disabled');
  const look = looker(world, cluster, infrastructure);
  for (const spec of specs) {
    const { scheme = 'internet-facing' } = spec!;
    const [balancer, ...others] = own.filter(({ Scheme }) => Scheme === scheme);
    if (!balancer || others.length > 0)
      return `${name} has ${others.length ? 'several' : 'no'} ${scheme} load balancers`;
    const { apiServerElb, secondaryAPIServerELB } = infrastructure.status?.networkStatus ?? {};
    try {
      const behind = await look(balancer, spec!);
      expectTold(spec === first ? apiServerElb : secondaryAPIServerELB, balancer, behind);
      if (spec === first) expectDomains(infrastructure, balancer);
    } catch (error) {
      if (!(error instanceof Differs)) throw error;
      return `the ${scheme} load balancer of ${name}: ${error.message}`;
    }
  }
  return undefined;
};

/** Which load balancer, by who finds it, and at which port. */
const placesIn = (spec: AWSClusterSpec | undefined): string[] =>
  [spec?.controlPlaneLoadBalancer, spec?.secondaryControlPlaneLoadBalancer].flatMap((one) =>
    (one?.additionalListeners ?? []).map(({ port }) => `${one?.scheme ?? 'internet-facing'} ${port}`),
  );

export const loadBalancerState: Rule = ({ world, wanted }, broken) => {
  const { account, mirror } = world;
  /** By the uid of its infrastructure, what a cluster was ever asked for: what is wanted no more stays as long as it does. */
  const asked = new Map<string, Set<string>>();
  const note = ({ metadata, spec }: AWSCluster) => {
    const known = asked.get(metadata.uid!) ?? new Set();
    for (const place of placesIn(spec)) known.add(place);
    asked.set(metadata.uid!, known);
  };
  for (const infrastructure of mirror.all<AWSCluster>('AWSCluster')) note(infrastructure);

  const expectNoMore = (cluster: Cluster) => {
    const { metadata } = cluster;
    const { spec: said, metadata: own } = infrastructureOf(mirror, cluster) ?? {};
    const count = (of: string) =>
      account.list().filter(({ type, tags }) => type === of && tags[owner] === metadata.uid).length;
    const balancers = said?.secondaryControlPlaneLoadBalancer ? 2 : 1;
    const most = balancers + (asked.get(own?.uid ?? '')?.size ?? 0);
    const least = balancers + placesIn(said).length;
    if (count('load-balancer') !== balancers)
      throw broken(`${metadata.name} has ${count('load-balancer')} load balancers, and not ${balancers}`);
    for (const type of ['listener', 'target-group'])
      if (count(type) < least || count(type) > most)
        throw broken(`${metadata.name} has ${count(type)} of ${type}, not ${least} to ${most}`);
  };

  return {
    onCommit: ({ object }) => {
      if (object?.kind === 'AWSCluster') note(object as AWSCluster);
    },
    atEnd: async () => {
      for (const { name } of wanted()) {
        const wrong = await unbalanced(world, name);
        if (wrong) throw broken(wrong);
        const cluster = mirror.get<Cluster>('Cluster', 'default', name);
        if (cluster) expectNoMore(cluster);
      }
    },
  };
};
