import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type {
  AWSCluster,
  AWSClusterSpec,
  AWSClusterStatus,
} from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { LoadBalancer, Tag, TargetGroup } from '../../../../kinds/ports/cloud/index.ts';
import type { World } from '../../site.ts';
import { hostOf, infrastructureOf } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { association, owner, region, role, sorted, tagOf } from '../tags.ts';

const everywhere = '0.0.0.0/0';

export type BalancerSpec = NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>;

type ReportedLoadBalancer = NonNullable<NonNullable<AWSClusterStatus['networkStatus']>['apiServerElb']>;

/** The AWS provider's defaults. */
const defaults = { intervalSeconds: 10, timeoutSeconds: 5, thresholdCount: 5, unhealthyThresholdCount: 3 };

const checkIn = (group: TargetGroup) => ({
  protocol: group.HealthCheckProtocol,
  port: group.HealthCheckPort,
  path: group.HealthCheckPath,
  intervalSeconds: group.HealthCheckIntervalSeconds,
  timeoutSeconds: group.HealthCheckTimeoutSeconds,
  thresholdCount: group.HealthyThresholdCount,
  unhealthyThresholdCount: group.UnhealthyThresholdCount,
});

/** The health check of each port's target group. */
const portsOf = (spec: BalancerSpec, apiPort: number): Map<number, ReturnType<typeof checkIn>> => {
  const isHttp = /^HTTPS?$/.test(spec.healthCheckProtocol ?? '');
  const api = {
    protocol: isHttp ? spec.healthCheckProtocol! : 'TCP',
    port: 'traffic-port',
    path: isHttp ? '/readyz' : undefined,
    ...defaults,
    ...spec.healthCheck,
  };
  const others = (spec.additionalListeners ?? []).map(({ port, healthCheck = {} }) => {
    const { protocol = 'TCP', port: asked = 'traffic-port', path = '/', ...timing } = healthCheck;
    return [
      port,
      { protocol, port: asked, path: protocol === 'TCP' ? undefined : path, ...defaults, ...timing },
    ] as const;
  });
  return new Map([[apiPort, api], ...others]);
};

const each = (texts: Iterable<string>) => sorted(new Set(texts));

/** A difference between the load balancer and its spec. */
class Differs extends Error {}
const expect = (what: string, is: unknown, should: unknown) => {
  const [one, other] = [is, should].map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  if (one !== other) throw new Differs(`${what}: ${one}, not ${other}`);
};

const looker = ({ account, mirror }: World, cluster: Cluster, infrastructure: AWSCluster) => {
  const { uid, name } = cluster.metadata;
  const apiPort = cluster.spec?.clusterNetwork?.apiServerPort ?? 6443;
  const attributesOf = async (tell: Promise<{ Attributes: Tag[] }>) => {
    const { Attributes } = await tell;
    return (key: string) => tagOf(Attributes, key);
  };

  /** The subnets that suit this scheme, by their routes; all subnets when none does. */
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
    if (!group) throw new Differs(`port ${port} has no target group`);
    const { TargetGroupArn } = group;
    expect(`protocol behind ${port}`, `${group.Protocol} ${group.Port}`, `TCP ${port}`);
    for (const [what, should] of Object.entries(check))
      expect(`${what} of the check of ${port}`, checkIn(group)[what as keyof typeof check], should);
    const attributeOf = await attributesOf(
      account.uncounted(region, 'DescribeTargetGroupAttributes', { TargetGroupArn }),
    );
    // With preserved client addresses a machine could not reach itself through the load balancer.
    expect(
      `preserved client addresses of port ${port}`,
      attributeOf('preserve_client_ip.enabled'),
      String(spec.preserveClientIP ?? false),
    );
    const unhealthy = 'target_health_state.unhealthy';
    expect(
      `connection termination of unhealthy targets of port ${port}`,
      attributeOf(`${unhealthy}.connection_termination.enabled`),
      'false',
    );
    expect(
      `draining time of unhealthy targets of port ${port}`,
      attributeOf(`${unhealthy}.draining_interval_seconds`),
      '300',
    );
    const { TargetHealthDescriptions } = await account.uncounted(region, 'DescribeTargetHealth', { TargetGroupArn });
    const staying = TargetHealthDescriptions.filter(({ TargetHealth }) => TargetHealth.State !== 'draining');
    expect(`targets of port ${port}`, each(staying.map(({ Target }) => Target.Id)), controlPlanes());
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
    const misplaced = AvailabilityZones.find((zone) => !places.some(({ SubnetId }) => SubnetId === zone.SubnetId));
    if (!spec.subnets) expect('a subnet that does not suit its scheme', misplaced?.SubnetId, undefined);
    const attributeOf = await attributesOf(
      account.uncounted(region, 'DescribeLoadBalancerAttributes', { LoadBalancerArn }),
    );
    const isCrossing = String(spec.crossZoneLoadBalancing ?? false);
    expect('cross-zone load balancing', attributeOf('load_balancing.cross_zone.enabled'), isCrossing);
    const { SecurityGroups: all } = await account.uncounted(region, 'DescribeSecurityGroups', {});
    const own = all.find(({ Tags }) => tagOf(Tags, owner) === uid && tagOf(Tags, role) === 'apiserver-lb');
    expect('groups', each(SecurityGroups), each([own?.GroupId ?? '', ...(spec.additionalSecurityGroups ?? [])]));
    const { Listeners } = await account.uncounted(region, 'DescribeListeners', { LoadBalancerArn });
    const behind = new Map<number, TargetGroup>();
    for (const [port, check] of portsOf(spec, apiPort)) {
      const listener = Listeners.find((one) => one.Port === port);
      expect(`listener of port ${port}`, listener?.Protocol, 'TCP');
      const [to] = listener?.DefaultActions ?? [];
      behind.set(port, await expectBehind(port, to?.TargetGroupArn, check, spec));
    }
    return behind;
  };
};

/** A failure domain takes control plane machines exactly when the load balancer serves its zone. */
const expectDomains = ({ status }: AWSCluster, { AvailabilityZones }: LoadBalancer) => {
  const zones = new Set(AvailabilityZones.map(({ ZoneName }) => ZoneName));
  for (const [zone, { controlPlane = false }] of Object.entries(status?.failureDomains ?? {}))
    expect(`whether failure domain ${zone} takes control plane machines`, controlPlane, zones.has(zone));
};

/** The status matches the load balancer. */
const expectReported = (
  reported: ReportedLoadBalancer | undefined,
  balancer: LoadBalancer,
  behind: ReadonlyMap<number, TargetGroup>,
) => {
  const { AvailabilityZones, SecurityGroups } = balancer;
  expect('name in the status', reported?.name, balancer.LoadBalancerName);
  expect('ARN in the status', reported?.arn, balancer.LoadBalancerArn);
  expect('DNS name in the status', reported?.dnsName, balancer.DNSName);
  expect('scheme in the status', reported?.scheme, balancer.Scheme);
  const zones = AvailabilityZones.map(({ ZoneName }) => ZoneName);
  expect('zones in the status', each(reported?.availabilityZones ?? []), each(zones));
  const subnets = AvailabilityZones.map(({ SubnetId }) => SubnetId);
  expect('subnets in the status', each(reported?.subnetIds ?? []), each(subnets));
  expect('security groups in the status', each(reported?.securityGroupIds ?? []), each(SecurityGroups));
  const ports = (reported?.elbListeners ?? []).map(({ port }) => String(port));
  expect('ports in the status', each(ports), each([...behind.keys()].map(String)));
  for (const { port, targetGroup } of reported?.elbListeners ?? []) {
    const group = behind.get(port)!;
    expect(
      `target group of port ${port} in the status`,
      `${targetGroup.name} ${targetGroup.port}`,
      `${group.TargetGroupName} ${port}`,
    );
    const { port: asked, ...check } = checkIn(group);
    const should = { ...check, port: asked === 'traffic-port' ? String(port) : asked };
    for (const [what, value] of Object.entries(should))
      expect(
        `${what} of the health check of port ${port} in the status`,
        targetGroup.targetGroupHealthCheck?.[what as keyof typeof should],
        value,
      );
  }
};

/** How the load balancers of a cluster differ from their spec; undefined when they match. */
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
      expectReported(spec === first ? apiServerElb : secondaryAPIServerELB, balancer, behind);
      if (spec === first) expectDomains(infrastructure, balancer);
    } catch (error) {
      if (!(error instanceof Differs)) throw error;
      return `the ${scheme} load balancer of ${name}: ${error.message}`;
    }
  }
  return undefined;
};

/** Identifies each additional listener by its load balancer's scheme and its port. */
const placesIn = (spec: AWSClusterSpec | undefined): string[] =>
  [spec?.controlPlaneLoadBalancer, spec?.secondaryControlPlaneLoadBalancer].flatMap((one) =>
    (one?.additionalListeners ?? []).map(({ port }) => `${one?.scheme ?? 'internet-facing'} ${port}`),
  );

export const loadBalancerState: Rule = ({ world, wanted }, broken) => {
  const { account, mirror } = world;
  /**
   * By the uid of the AWSCluster: every listener ever requested. A removed listener may stay as
   * long as its cluster.
   */
  const asked = new Map<string, Set<string>>();
  const note = ({ metadata, spec }: AWSCluster) => {
    const known = asked.get(metadata.uid!) ?? new Set();
    for (const place of placesIn(spec)) known.add(place);
    asked.set(metadata.uid!, known);
  };
  for (const infrastructure of mirror.all<AWSCluster>('AWSCluster')) note(infrastructure);

  const expectNoMore = (cluster: Cluster) => {
    const { metadata } = cluster;
    const { spec, metadata: own } = infrastructureOf(mirror, cluster) ?? {};
    const count = (of: string) =>
      account.list().filter(({ type, tags }) => type === of && tags[owner] === metadata.uid).length;
    const balancers = spec?.secondaryControlPlaneLoadBalancer ? 2 : 1;
    const most = balancers + (asked.get(own?.uid ?? '')?.size ?? 0);
    const least = balancers + placesIn(spec).length;
    if (count('load-balancer') !== balancers)
      throw broken(`${metadata.name} has ${count('load-balancer')} load balancers, not ${balancers}`);
    for (const type of ['listener', 'target-group'])
      if (count(type) < least || count(type) > most)
        throw broken(`${metadata.name} has ${count(type)} resources of type ${type}, not ${least} to ${most}`);
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
