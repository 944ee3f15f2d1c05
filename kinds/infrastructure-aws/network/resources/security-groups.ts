import type { IpPermission, SecurityGroup } from '../../../ports/cloud/index.ts';
import { call, create, type Want } from '../../engine/resource.ts';
import { cloudProviderTag, digest, purposeTag, tagMap } from '../../engine/tags.ts';
import { securityGroupsReady } from '../conditions.ts';
import type { LoadBalancerSpec } from '../desired-load-balancer.ts';
import { everywhere6, ipv6BlockOf, wantsIpv6 } from '../ipv6.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { difference, type IngressRule, permissionsOf, type Role } from '../security-rules.ts';
import { gatewayAddresses, gatewaysKnown } from './nat-gateways.ts';

/** Every address of the families that the network has. */
const anywhereOf = ({ network }: Pick<Scope, 'network'>): string[] => [
  '0.0.0.0/0',
  ...(wantsIpv6({ network }) ? [everywhere6] : []),
];
/** The network's own blocks. */
const blocksOf = ({ network, cloudState: { vpc } }: Scope): string[] => {
  const ipv6 = vpc && wantsIpv6({ network }) ? ipv6BlockOf(vpc) : undefined;
  return vpc ? [vpc.CidrBlock, ...(ipv6 ? [ipv6] : [])] : [];
};
const tcp = (description: string, port: number, from: Partial<IngressRule>): IngressRule => ({
  description,
  protocol: 'tcp',
  fromPort: port,
  toPort: port,
  ...from,
});
/** The description that identifies rules of the targets' group. */
const toTargets = 'Kubernetes API load balancer';
const roles = (...sourceSecurityGroupRoles: Role[]): Partial<IngressRule> => ({ sourceSecurityGroupRoles });

const ofMachines: Role[] = ['controlplane', 'node', 'apiserver-lb', 'lb'];

/** EKS makes a group for its network interfaces and the nodes; this one is for the rules of the spec. */
const ofHosted: Role[] = ['node-eks-additional'];

export const wantedRoles = ({ spec, isHosted }: Pick<Scope, 'spec' | 'isHosted'>): Role[] => [
  ...(spec.bastion?.enabled ? (['bastion'] as const) : []),
  ...(isHosted ? ofHosted : ofMachines),
];

export const loadBalancersOf = ({
  controlPlaneLoadBalancer: first,
  secondaryControlPlaneLoadBalancer: second,
}: Scope['spec']) =>
  [first, second].filter((one) => one !== undefined && one.loadBalancerType !== 'disabled').map((one) => one!);

/** Only network load balancers have listeners besides that of the API server, and pass on addresses. */
const isNetwork = ({ loadBalancerType }: LoadBalancerSpec): boolean => loadBalancerType === 'nlb';

const podNetwork = ({ network }: Scope): IngressRule[] =>
  (network.cni?.cniIngressRules ?? []).map((rule) => ({
    ...rule,
    protocol: rule.protocol as IngressRule['protocol'],
    ...roles('controlplane', 'node'),
  }));

/** The ingress rules of each role. */
export const rulesOf = (scope: Scope, role: Role): IngressRule[] => {
  const { spec, network, apiPorts } = scope;
  const anywhere = anywhereOf(scope);
  const ssh = spec.bastion?.enabled ? [tcp('SSH', 22, roles('bastion'))] : [];
  switch (role) {
    case 'bastion':
      return spec.bastion?.disableIngressRules
        ? []
        : [tcp('SSH', 22, blocks(spec.bastion?.allowedCIDRBlocks ?? anywhere))];
    case 'controlplane':
      return [
        ...ssh,
        tcp('Kubernetes API', apiPorts.server, roles('apiserver-lb', 'controlplane', 'node')),
        tcp('etcd', 2379, roles('controlplane')),
        tcp('etcd peer', 2380, roles('controlplane')),
        ...podNetwork(scope),
        ...(network.additionalControlPlaneIngressRules ?? []).map(sourced),
      ];
    case 'node':
      return [
        ...ssh,
        {
          ...tcp('Node Port Services', 30000, blocks(network.nodePortIngressRuleCidrBlocks ?? anywhere)),
          toPort: 32767,
        },
        tcp('Kubelet API', 10250, roles('controlplane', 'node')),
        ...podNetwork(scope),
        ...(network.additionalNodeIngressRules ?? []).map(sourced),
      ];
    case 'apiserver-lb':
      return loadBalancerRules(scope);
    case 'lb': {
      // A classic load balancer connects from its own group.
      const all = loadBalancersOf(spec);
      if (all.length > 0 && !all.some(isNetwork)) return [];
      const from = all.some((one) => isNetwork(one) && one.preserveClientIP) ? anywhere : blocksOf(scope);
      const ports = all.filter(isNetwork).flatMap(({ additionalListeners }) => additionalListeners ?? []);
      const targets = new Set([apiPorts.server, ...ports.map(({ port }) => port)]);
      return [...targets].map((port) => tcp(toTargets, port, blocks(from)));
    }
    case 'node-eks-additional':
      return [...ssh, ...(network.additionalControlPlaneIngressRules ?? [])];
    default:
      return role satisfies never;
  }
};

const blocks = (all: readonly string[]): Partial<IngressRule> => {
  const v6 = all.filter((block) => block.includes(':'));
  return { cidrBlocks: all.filter((block) => !block.includes(':')), ...(v6.length && { ipv6CidrBlocks: v6 }) };
};

/** A rule without a source allows the control plane, as in the AWS provider. */
const sourced = (rule: IngressRule): IngressRule => {
  const { cidrBlocks, ipv6CidrBlocks, sourceSecurityGroupIds, sourceSecurityGroupRoles, natGatewaysIPsSource } = rule;
  const lists = [cidrBlocks, ipv6CidrBlocks, sourceSecurityGroupIds, sourceSecurityGroupRoles];
  return natGatewaysIPsSource || lists.some((list) => list?.length) ? rule : { ...rule, ...roles('controlplane') };
};

/**
 * Nodes reach a public load balancer through the NAT gateways, and an internal one from the VPC.
 * Until the gateways have addresses, the controller opens nothing instead: no machine needs the
 * route before.
 */
const loadBalancerRules = (scope: Scope): IngressRule[] => {
  const { spec, network } = scope;
  const anywhere = anywhereOf(scope);
  const apiPort = scope.apiPorts.listener;
  const all = loadBalancersOf(spec);
  const fromVpc = (all: string[]) => tcp('Kubernetes API from the VPC', apiPort, blocks(all));
  const v6 = blocksOf(scope).filter((block) => block.includes(':'));
  const kubelets = all.flatMap(({ scheme }) =>
    scheme === 'internal'
      ? [fromVpc(blocksOf(scope))]
      : [
          tcp('Kubernetes API from the NAT gateways', apiPort, { natGatewaysIPsSource: true }),
          // Over IPv6 nodes come with addresses of their own.
          ...(wantsIpv6({ network }) ? [fromVpc(v6)] : []),
        ],
  );
  const given = all.flatMap(({ ingressRules }) => ingressRules ?? []).map(sourced);
  const extra = all
    .filter(isNetwork)
    .flatMap(({ additionalListeners }) => additionalListeners ?? [])
    .map(({ port }) => tcp('Additional listener', port, blocks(anywhere)));
  return [...kubelets, ...(given.length ? given : [tcp('Kubernetes API', apiPort, blocks(anywhere)), ...extra])];
};

/**
 * Group names are unique in a VPC, and an unmanaged VPC may hold the groups of a cluster with the
 * same name.
 */
export const groupName = ({ owner, cloudState }: Pick<Scope, 'owner' | 'cloudState'>, role: Role): string => {
  const name = owner.clusterName.startsWith('sg-') ? `@${owner.clusterName}` : owner.clusterName;
  return cloudState.vpc?.unmanaged ? `${name}-${role}-${digest(6, owner.clusterUid)}` : `${name}-${role}`;
};

const purposeOf = (role: Role) => `security-group/${role}`;
/** The in-cluster cloud provider must find exactly one group with this tag. */
export const groupTags = (purpose: string | undefined, clusterName: string): Record<string, string> =>
  purpose === purposeOf('lb') ? { [cloudProviderTag(clusterName)]: 'owned' } : {};

const ownGroup = ({ cloudState }: Pick<Scope, 'cloudState'>, role: Role): SecurityGroup | undefined =>
  cloudState.securityGroups.find(({ Tags }) => tagMap(Tags)[purposeTag] === purposeOf(role));

/** Ids by role: overrides from the spec, and groups that exist. */
export const groupIds = (
  scope: Pick<Scope, 'spec' | 'network' | 'cloudState' | 'isHosted'>,
): Partial<Record<Role, string>> => {
  const ids: Partial<Record<Role, string>> = {};
  for (const role of [...wantedRoles(scope), 'bastion', 'node-eks-additional'] as Role[]) {
    const id = scope.network.securityGroupOverrides?.[role] ?? ownGroup(scope, role)?.GroupId;
    if (id) ids[role] = id;
  }
  return ids;
};

/** The in-cluster cloud provider opens and closes the other rules of that group for Services. */
const isToTargets = ({ IpRanges = [], Ipv6Ranges = [] }: IpPermission): boolean =>
  [...IpRanges, ...Ipv6Ranges].some(({ Description }) => Description === toTargets);

/** Calls that make the rules of an existing group those that are wanted. */
const ruleCalls = (
  scope: Scope,
  role: Role,
  { GroupId, IpPermissions }: SecurityGroup,
): Want<SecurityGroup>['repairs'] => {
  const ids = groupIds(scope);
  // Authorize all at once, when every group that the rules name exists.
  if (!wantedRoles(scope).every((one) => ids[one])) return {};
  const wanted = rulesOf(scope, role).map((rule) => permissionsOf(rule, ids, gatewayAddresses(scope)));
  const { authorize, revoke: surplus } = difference(wanted, IpPermissions);
  const revoke = role === 'lb' ? surplus.filter(isToTargets) : surplus;
  // Reads lag: a source that is missing from one read is no reason to revoke its rule.
  const mayRevoke = revoke.length > 0 && gatewaysKnown(scope);
  return {
    revoke: mayRevoke ? call('RevokeSecurityGroupIngress', { GroupId, IpPermissions: revoke }) : undefined,
    [`authorize/${digest(8, JSON.stringify(authorize))}`]:
      authorize.length > 0 ? call('AuthorizeSecurityGroupIngress', { GroupId, IpPermissions: authorize }) : undefined,
  };
};

/** Instances that name no group would join the default group and could reach each other. */
const emptyDefaultGroup = ({ cloudState: { defaultGroup } }: Scope): Want<SecurityGroup>[] => {
  if (!defaultGroup) return [];
  const { GroupId, IpPermissions, IpPermissionsEgress } = defaultGroup;
  const revoke = (operation: 'RevokeSecurityGroupIngress' | 'RevokeSecurityGroupEgress', all: IpPermission[]) =>
    all.length > 0 ? { [operation]: call(operation, { GroupId, IpPermissions: all }) } : {};
  return [
    {
      which: 'default',
      there: defaultGroup,
      repairs: {
        ...revoke('RevokeSecurityGroupIngress', IpPermissions),
        ...revoke('RevokeSecurityGroupEgress', IpPermissionsEgress),
      },
    },
  ];
};

const wantOf = (scope: Scope, VpcId: string, role: Role): Want<SecurityGroup> => {
  const { clusterName } = scope.owner;
  const there = ownGroup(scope, role);
  const GroupName = groupName(scope, role);
  const Description = `Kubernetes cluster ${clusterName}: ${role}`;
  return {
    which: role,
    there,
    create: create('CreateSecurityGroup', { VpcId, GroupName, Description }),
    tags: { name: GroupName, role, more: groupTags(purposeOf(role), clusterName) },
    ...(there && { repairs: ruleCalls(scope, role, there) }),
  };
};

export const securityGroups: NetworkResource<SecurityGroup> = {
  sort: 'security-group',
  title: 'security group',
  events: ['CreateSecurityGroup', 'AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress', 'DeleteSecurityGroup'],
  condition: {
    type: securityGroupsReady,
    started: 'ClusterSecurityGroupsCreationStarted',
    failed: 'ClusterSecurityGroupReconciliationFailed',
  },
  list: 'securityGroups',
  depth: 1,
  ec2: ['security-group'],
  desired: (scope) => {
    const { vpc } = scope.cloudState;
    if (!vpc) return 'later';
    const overrides = scope.network.securityGroupOverrides ?? {};
    const lost = Object.entries(overrides).find(([, id]) => !id);
    if (lost) return { failed: `spec.network.securityGroupOverrides.${lost[0]} names no group` };
    const roles = wantedRoles(scope).filter((role) => !overrides[role]);
    return [...emptyDefaultGroup(scope), ...roles.map((role) => wantOf(scope, vpc.VpcId, role))];
  },
  awaiting: () => 'Setting up the security groups',
  marks: ({ Tags }, { owner }) => ({ finding: groupTags(tagMap(Tags)[purposeTag], owner.clusterName) }),
  uses: ['vpcs'],
  turn: ({ isUnmanaged }) => (isUnmanaged ? 'slow' : undefined),
  // Groups reference each other in rules, and AWS deletes no referenced group.
  release: ({ GroupId, IpPermissions }) =>
    IpPermissions.length > 0
      ? [{ ...call('RevokeSecurityGroupIngress', { GroupId, IpPermissions }), id: `${GroupId}/rules` }]
      : [],
  remove: ({ GroupId }) => [call('DeleteSecurityGroup', { GroupId })],
};
