/** IAM: the roles of instances, and the roles of the load balancing and spot services. */
import type { Resources } from '../resources.ts';
import type { Statement } from './statement.ts';

const linked = [
  {
    sid: 'MakesLoadBalancingRole',
    why: 'the service-linked role, which the first load balancer of an account creates',
    service: 'elasticloadbalancing.amazonaws.com',
    name: 'AWSServiceRoleForElasticLoadBalancing',
  },
  {
    sid: 'MakesSpotRole',
    why: 'the service-linked role, which the first spot instance of an account creates',
    service: 'spot.amazonaws.com',
    name: 'AWSServiceRoleForEC2Spot',
  },
];

export const roles = (
  allowed: readonly string[],
  { partition, account, nodeRoles, assumedRoles }: Resources,
): Statement[] => {
  const role = (name: string) => `arn:${partition}:iam::${account}:role/${name}`;
  return [
    ...(allowed.includes('sts:AssumeRole') && assumedRoles.length > 0
      ? [
          {
            sid: 'AssumesRolesOfClusters',
            why: 'the roles of AWSClusterRoleIdentities; none unless the deployment names them',
            actions: ['sts:AssumeRole'],
            resources: [...assumedRoles],
          },
        ]
      : []),
    ...(allowed.includes('iam:PassRole') && nodeRoles.length > 0
      ? [
          {
            sid: 'PassesNodeRoles',
            why: 'passes only these roles, and only to instances',
            actions: ['iam:PassRole'],
            resources: nodeRoles.map(role),
            // In China the service has a name of its own.
            conditions: { StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } },
          },
        ]
      : []),
    ...(allowed.includes('iam:CreateServiceLinkedRole')
      ? linked.map(({ sid, why, service, name }) => ({
          sid,
          why,
          actions: ['iam:CreateServiceLinkedRole'],
          resources: [role(`aws-service-role/${service}/${name}`)],
          conditions: { StringEquals: { 'iam:AWSServiceName': service } },
        }))
      : []),
  ];
};
