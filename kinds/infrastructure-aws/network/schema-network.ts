import {
  boolean,
  int64,
  integer,
  list,
  listMap,
  object,
  oneOf,
  required,
  string,
} from '../../../machinery/api/schema.ts';
import { elasticIpPool, tags } from '../shapes.ts';

export const ingressRule = object('Lets traffic in, from every source it names.', {
  cidrBlocks: list('IPv4 sources.', string('A CIDR block.')),
  description: required(string('What the rule is for; shown in EC2.')),
  fromPort: required(int64('First port, or ICMP type.')),
  ipv6CidrBlocks: list('IPv6 sources.', string('A CIDR block.')),
  natGatewaysIPsSource: boolean('Whether the public addresses of the NAT gateways are sources.'),
  protocol: required(
    oneOf('The IP protocol; -1 is all of them, 4 is IP-in-IP, 58 is ICMPv6, 50 is ESP.', [
      '-1',
      '4',
      'tcp',
      'udp',
      'icmp',
      '58',
      '50',
    ]),
  ),
  sourceSecurityGroupIds: list('Security groups whose members are sources.', string('Id of a security group.')),
  sourceSecurityGroupRoles: list(
    'Roles of the cluster whose security groups are sources.',
    oneOf('A role.', ['bastion', 'node', 'controlplane', 'apiserver-lb', 'lb', 'node-eks-additional']),
  ),
  toPort: required(int64('Last port, or ICMP code.')),
});

const ipamPool = (description: string) =>
  object(description, {
    id: string('Id of the pool.'),
    name: string('Name of the pool, when no id is given.'),
    netmaskLength: int64('Prefix length of the block to take.'),
  });

const subnet = object('A subnet, wanted or brought along.', {
  availabilityZone: string('Zone of the subnet.'),
  cidrBlock: string('IPv4 block of the subnet.'),
  id: required(string('Id of a subnet that exists (subnet-…), or a name of your choice for one to create.')),
  ipv6CidrBlock: string('IPv6 block of the subnet.'),
  isIpv6: boolean('Whether the subnet has IPv6.'),
  isPublic: boolean('Whether the subnet reaches the internet by itself.'),
  natGatewayId: string('NAT gateway in a public subnet; filled in by the controller.'),
  parentZoneName: string('Zone that an edge zone hangs on; filled in by the controller.'),
  resourceID: string('Id that AWS gave to the subnet; filled in by the controller.'),
  routeTableId: string('Route table of the subnet; filled in by the controller.'),
  tags: tags('Tags of the subnet.'),
  zoneType: oneOf('Kind of the zone; filled in by the controller.', [
    'availability-zone',
    'local-zone',
    'wavelength-zone',
  ]),
});

const vpc = object('The network, created for the cluster unless an id is given.', {
  availabilityZoneSelection: oneOf(
    'How zones are chosen for default subnets: by name, or at random.',
    ['Ordered', 'Random'],
    { default: 'Ordered' },
  ),
  availabilityZoneUsageLimit: integer('In how many zones default subnets are made at most.', {
    default: 3,
    minimum: 1,
  }),
  carrierGatewayId: string('Carrier gateway of Wavelength zones.', {
    'x-kubernetes-validations': [
      { rule: "self.startsWith('cagw-')", message: "Carrier Gateway ID must start with 'cagw-'" },
    ],
  }),
  cidrBlock: string('IPv4 block of the network.'),
  elasticIpPool: elasticIpPool('Where the public addresses of the NAT gateways come from.'),
  emptyRoutesDefaultVPCSecurityGroup: boolean('Whether all rules of the default security group are taken away.'),
  id: string('Id of the network; given by you to bring your own, else filled in by the controller.'),
  internetGatewayId: string('Internet gateway of the network; filled in by the controller.'),
  ipamPool: ipamPool('IPAM pool that the IPv4 block is taken from.'),
  ipv6: object('Asks for IPv6 in the network.', {
    cidrBlock: string('IPv6 block of the network.'),
    egressOnlyInternetGatewayId: string('Egress-only internet gateway of the network.'),
    ipamPool: ipamPool('IPAM pool that the IPv6 block is taken from.'),
    poolId: string('Pool of the account that the IPv6 block is taken from.'),
  }),
  privateDnsHostnameTypeOnLaunch: oneOf('How host names of instances are formed.', ['ip-name', 'resource-name']),
  secondaryCidrBlocks: list(
    'Further IPv4 blocks of the network.',
    object('One more block.', { ipv4CidrBlock: required(string('The IPv4 block.', { minLength: 1 })) }),
  ),
  subnetSchema: oneOf('Which default subnets get the larger share of the network.', ['PreferPrivate', 'PreferPublic'], {
    default: 'PreferPrivate',
  }),
  tags: tags('Tags of the network; once it exists, as found on it.'),
});

const ingressRules = (description: string) => list(description, ingressRule);

export const network = object('The network of the cluster.', {
  additionalControlPlaneIngressRules: ingressRules('Rules of the control-plane security group besides the usual ones.'),
  additionalNodeIngressRules: ingressRules('Rules of the node security group besides the usual ones.'),
  cni: object('What the pod network needs between nodes.', {
    cniIngressRules: list(
      'Traffic to let through between all nodes; absent means what Calico needs.',
      object('Traffic of the pod network.', {
        description: required(string('What the rule is for; shown in EC2.')),
        fromPort: required(int64('First port.')),
        protocol: required(string('The IP protocol, by name or number.')),
        toPort: required(int64('Last port.')),
      }),
    ),
  }),
  nodePortIngressRuleCidrBlocks: list('Who may reach node ports; absent means anybody.', string('A CIDR block.')),
  securityGroupOverrides: tags('Ids of security groups of your own to use, by role.'),
  subnets: listMap('The subnets: absent in a managed network means a set of default ones.', ['id'], subnet),
  vpc,
});
