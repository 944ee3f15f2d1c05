/** Optional settings of load balancers, networks and images. */
import type { AWSClusterSpec } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { Dice } from '../../dice.ts';
import type { DesiredCluster } from '../manifest.ts';

export type Fields = Record<string, unknown>;
const some = (draw: Dice, all: Fields, share = 0.5): Fields =>
  Object.fromEntries(Object.entries(all).filter(() => draw.chance(share)));

const timingOf = (draw: Dice): Fields =>
  some(
    draw,
    {
      intervalSeconds: draw.pick([10, 20, 30]),
      timeoutSeconds: draw.pick([2, 3]),
      thresholdCount: draw.whole(3, 5),
      unhealthyThresholdCount: draw.whole(2, 5),
    },
    0.7,
  );

/** Additional ports, at which machines may or may not answer. */
const listenersOf = (draw: Dice) => [
  { port: 8132 },
  ...(draw.chance(0.7)
    ? [
        {
          port: 8133,
          healthCheck: {
            protocol: draw.pick(['TCP', 'HTTPS', 'HTTP']),
            port: draw.pick(['6443', '8134']),
            ...timingOf(draw),
          },
        },
      ]
    : []),
];

const visitors = (draw: Dice) => [
  {
    description: 'an office',
    protocol: 'tcp',
    fromPort: 6443,
    toPort: 6443,
    cidrBlocks: ['203.0.113.0/24'],
    ...(draw.chance(0.5) && { ipv6CidrBlocks: ['2001:db8::/32'] }),
  },
  { description: 'nodes', protocol: 'tcp', fromPort: 8132, toPort: 8133, sourceSecurityGroupRoles: ['node'] },
];

/** Some of the load balancer settings that may change at any time. */
export const balancerOf = (draw: Dice): Fields =>
  some(draw, {
    additionalListeners: listenersOf(draw),
    healthCheck: timingOf(draw),
    ingressRules: visitors(draw),
    crossZoneLoadBalancing: true,
    preserveClientIP: true,
  });

/** An internal load balancer with settings of its own. */
export const secondOf = (draw: Dice, of: string): Fields => ({
  name: `${of}-inside`,
  loadBalancerType: 'nlb',
  scheme: 'internal',
  ...some(draw, {
    additionalListeners: [{ port: 8140 }],
    healthCheck: timingOf(draw),
    ingressRules: visitors(draw),
    crossZoneLoadBalancing: true,
  }),
});

/**
 * Named subnets in one zone: a public and a private one. `first` is the position of the first one
 * in the block.
 */
export const subnetsOf = (name: string, block: string, zone = 'eu-central-1a', first = 1) => {
  const subnet = (of: string, third: number, isPublic: boolean) => ({
    id: `${name}-${of}`,
    availabilityZone: zone,
    cidrBlock: `${block}.${third}.0/24`,
    isPublic,
    tags: { 'example.com/for': of },
  });
  return [subnet('visitors', first, true), subnet('machines', first + 1, false)];
};

const vpcOf = (draw: Dice): Fields => ({
  ...(draw.chance(0.6) && { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.3.2/16' }] }),
  ...(draw.chance(0.3) && { availabilityZoneUsageLimit: 2, availabilityZoneSelection: 'Random' }),
  ...(draw.chance(0.3) && { subnetSchema: 'PreferPublic' }),
  ...(draw.chance(0.3) && { privateDnsHostnameTypeOnLaunch: 'resource-name' }),
  ...(draw.chance(0.3) && { tags: { 'example.com/of': 'user' } }),
});

/** A pod network other than the default one, over UDP. */
const cni = { cniIngressRules: [{ description: 'vxlan', protocol: 'udp', fromPort: 4789, toPort: 4789 }] };
const rules = (port: number, from: Fields) => [
  { description: 'user', protocol: 'tcp', fromPort: port, toPort: port + 1, ...from },
];

const networkOf = (draw: Dice, desired: Pick<DesiredCluster, 'name' | 'network'>): Fields => {
  const isOwn = desired.network === undefined;
  const isNamed = isOwn && draw.chance(0.3);
  return {
    ...(isNamed && { vpc: { cidrBlock: '10.20.0.0/16' }, subnets: subnetsOf(desired.name, '10.20') }),
    ...(isOwn && !isNamed && { vpc: vpcOf(draw) }),
    ...(draw.chance(0.5) && { cni }),
    ...(draw.chance(0.4) && { nodePortIngressRuleCidrBlocks: ['10.0.0.0/8', '2001:DB8::1/32'] }),
    ...(draw.chance(0.4) && {
      additionalNodeIngressRules: rules(
        9100,
        draw.pick([{}, { sourceSecurityGroupRoles: ['controlplane', 'lb'] }, { natGatewaysIPsSource: true }]),
      ),
    }),
    ...(draw.chance(0.4) && {
      additionalControlPlaneIngressRules: rules(9200, draw.pick([{}, { cidrBlocks: ['10.3.2.1/16'] }])),
    }),
  };
};

/** Tags with a meaning, which users may not override. */
const purposes = { 'capstan.dev/purpose': 'bastion', 'kubernetes.io/role/elb': '1' };

/** Some of the optional settings. */
export const moreOf = (draw: Dice, desired: Pick<DesiredCluster, 'name' | 'network'>): AWSClusterSpec =>
  ({
    controlPlaneLoadBalancer: {
      ...balancerOf(draw),
      ...(draw.chance(0.3) && { name: `${desired.name}-front` }),
      ...(draw.chance(0.3) && { healthCheckProtocol: 'HTTPS' }),
    },
    ...(draw.chance(0.5) && { secondaryControlPlaneLoadBalancer: secondOf(draw, desired.name) }),
    ...(draw.chance(0.5) && { imageLookupBaseOS: 'ubuntu-22.04' }),
    network: networkOf(draw, desired),
    ...(draw.chance(0.5) && { additionalTags: { ...purposes, [`kubernetes.io/cluster/${desired.name}`]: 'owned' } }),
  }) as AWSClusterSpec;

/** Nearly all optional settings at once. */
export const muchMore = {
  controlPlaneLoadBalancer: {
    additionalListeners: [
      { port: 8132 },
      { port: 8133, healthCheck: { protocol: 'HTTPS', path: '/healthz', port: '6443', intervalSeconds: 20 } },
    ],
    healthCheck: { intervalSeconds: 10, timeoutSeconds: 3, thresholdCount: 3, unhealthyThresholdCount: 4 },
    healthCheckProtocol: 'HTTPS',
    ingressRules: [
      { description: 'all', protocol: 'tcp', fromPort: 6443, toPort: 6443, cidrBlocks: ['0.0.0.0/0'] },
      { description: 'nodes', protocol: 'tcp', fromPort: 8132, toPort: 8133, sourceSecurityGroupRoles: ['node'] },
    ],
    crossZoneLoadBalancing: true,
  },
  secondaryControlPlaneLoadBalancer: {
    name: 'inside',
    loadBalancerType: 'nlb',
    scheme: 'internal',
    additionalListeners: [{ port: 8140 }],
  },
  imageLookupBaseOS: 'ubuntu-22.04',
  additionalTags: purposes,
  network: {
    vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.0.0/16' }], tags: { 'example.com/of': 'user' } },
    cni,
    nodePortIngressRuleCidrBlocks: ['10.0.0.0/8'],
    additionalNodeIngressRules: rules(9100, { natGatewaysIPsSource: true }),
    additionalControlPlaneIngressRules: rules(9200, {}),
  },
} as AWSClusterSpec;
