/** A cluster that asks for more from its beginning: load balancers and a network that are not as usual. */
import type { AWSClusterSpec } from '../../../kinds/aws-cluster/index.ts';
import type { Dice } from '../dice.ts';
import { balancerOf, comesToBe, secondOf } from './balancing.ts';
import { deleteAndCreateAgain } from './deletions.ts';
import type { Scene } from './scene.ts';

type Fields = Record<string, unknown>;
const zone = 'eu-central-1a';

/** Named by its user, in one zone. */
const subnetsOf = (name: string, block: string) => {
  const subnet = (of: string, third: number, isPublic: boolean) => ({
    id: `${name}-${of}`,
    availabilityZone: zone,
    cidrBlock: `${block}.${third}.0/24`,
    isPublic,
    tags: { 'example.com/for': of },
  });
  return [subnet('visitors', 1, true), subnet('machines', 2, false)];
};

const vpcOf = (draw: Dice): Fields => ({
  ...(draw.chance(0.6) && { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.0.0/16' }] }),
  ...(draw.chance(0.3) && { availabilityZoneUsageLimit: 2, availabilityZoneSelection: 'Random' }),
  ...(draw.chance(0.3) && { subnetSchema: 'PreferPublic' }),
  ...(draw.chance(0.3) && { privateDnsHostnameTypeOnLaunch: 'resource-name' }),
  ...(draw.chance(0.3) && { tags: { 'example.com/of': 'somebody' } }),
});

/** Another pod network than the usual one, over UDP. */
const cni = { cniIngressRules: [{ description: 'vxlan', protocol: 'udp', fromPort: 4789, toPort: 4789 }] };
const rules = (port: number, from: Fields) => [
  { description: 'somebody', protocol: 'tcp', fromPort: port, toPort: port + 1, ...from },
];

const networkOf = ({ draw, wish }: Scene): Fields => {
  const isOwn = wish.network === undefined;
  const isNamed = isOwn && draw.chance(0.3);
  return {
    ...(isNamed && { vpc: { cidrBlock: '10.20.0.0/16' }, subnets: subnetsOf(wish.name, '10.20') }),
    ...(isOwn && !isNamed && { vpc: vpcOf(draw) }),
    ...(draw.chance(0.5) && { cni }),
    ...(draw.chance(0.4) && { nodePortIngressRuleCidrBlocks: ['10.0.0.0/8', '2001:db8::/32'] }),
    ...(draw.chance(0.4) && {
      additionalNodeIngressRules: rules(
        9100,
        draw.pick([{}, { sourceSecurityGroupRoles: ['controlplane', 'lb'] }, { natGatewaysIPsSource: true }]),
      ),
    }),
    ...(draw.chance(0.4) && {
      additionalControlPlaneIngressRules: rules(9200, draw.pick([{}, { cidrBlocks: ['10.3.0.0/16'] }])),
    }),
  };
};

export const createWithMore = async (scene: Scene) => {
  const { draw, life, settled, wish } = scene;
  await settled(60);
  if (!life.wish) return;
  const isNamed = draw.chance(0.3);
  const infrastructure = {
    controlPlaneLoadBalancer: {
      ...balancerOf(draw),
      ...(isNamed && { name: `${wish.name}-front` }),
      ...(draw.chance(0.3) && { healthCheckProtocol: 'HTTPS' }),
    },
    ...(draw.chance(0.5) && { secondaryControlPlaneLoadBalancer: secondOf(draw) }),
    network: networkOf(scene),
  };
  wish.infrastructure = infrastructure as AWSClusterSpec;
  await deleteAndCreateAgain(scene);
  await settled(90);
  await comesToBe(scene, `that ${wish.name} has what it asks for`);
};
