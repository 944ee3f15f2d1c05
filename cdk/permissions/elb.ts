/** Elastic Load Balancing: network load balancers with their target groups and listeners, and classic load balancers. */
import type { Resources } from '../resources.ts';
import { givesNoProof, givesOurTag, type Rules, type Service, takesNoProof } from './rules.ts';
import type { Statement } from './statement.ts';

const shapes = {
  // Only its name follows: the pattern has all load balancers, of which the conditions choose.
  'loadbalancer/classic': 'loadbalancer/*',
  'loadbalancer/net': 'loadbalancer/net/*/*',
  'listener/net': 'listener/net/*/*/*',
  targetgroup: 'targetgroup/*/*',
} as const;
type Type = keyof typeof shapes;

const balancers = ['loadbalancer/classic', 'loadbalancer/net'] as const;

// Subnets, security groups and targets are not resources of these calls: the service uses them under its own role.
const rules = {
  'elasticloadbalancing:CreateLoadBalancer': { makes: [...balancers] },
  'elasticloadbalancing:ModifyLoadBalancerAttributes': { ours: [...balancers] },
  'elasticloadbalancing:SetSecurityGroups': { ours: ['loadbalancer/net'] },
  'elasticloadbalancing:SetSubnets': { ours: ['loadbalancer/net'] },
  'elasticloadbalancing:DeleteLoadBalancer': { ours: [...balancers] },
  'elasticloadbalancing:CreateTargetGroup': { makes: ['targetgroup'] },
  'elasticloadbalancing:ModifyTargetGroup': { ours: ['targetgroup'] },
  'elasticloadbalancing:ModifyTargetGroupAttributes': { ours: ['targetgroup'] },
  'elasticloadbalancing:DeleteTargetGroup': { ours: ['targetgroup'] },
  'elasticloadbalancing:RegisterTargets': { ours: ['targetgroup'] },
  'elasticloadbalancing:DeregisterTargets': { ours: ['targetgroup'] },
  'elasticloadbalancing:ConfigureHealthCheck': { ours: ['loadbalancer/classic'] },
  'elasticloadbalancing:CreateLoadBalancerListeners': { ours: ['loadbalancer/classic'] },
  'elasticloadbalancing:AttachLoadBalancerToSubnets': { ours: ['loadbalancer/classic'] },
  'elasticloadbalancing:ApplySecurityGroupsToLoadBalancer': { ours: ['loadbalancer/classic'] },
  'elasticloadbalancing:RegisterInstancesWithLoadBalancer': { ours: ['loadbalancer/classic'] },
  'elasticloadbalancing:DeregisterInstancesFromLoadBalancer': { ours: ['loadbalancer/classic'] },
  // IAM checks the load balancer of a new listener, not the listener.
  'elasticloadbalancing:CreateListener': { ours: ['loadbalancer/net'] },
} as const satisfies Rules<Type>;

export const elasticLoadBalancing: Service<Type> = {
  name: 'Elb',
  rules,
  arnOf: (type, { partition, account }) => `arn:${partition}:elasticloadbalancing:*:${account}:${shapes[type]}`,
};

/** Tags of load balancing resources, set on creation and changed later. */
export const elbTags = (allowed: readonly string[], resources: Resources): Statement[] => {
  if (!allowed.includes('elasticloadbalancing:AddTags')) return [];
  const making = ['CreateListener', 'CreateLoadBalancer', 'CreateTargetGroup'];
  const all = (Object.keys(shapes) as Type[]).sort().map((type) => elasticLoadBalancing.arnOf(type, resources));
  return [
    {
      sid: 'ElbTagsMade',
      why: 'tags resources in the call that creates them',
      actions: ['elasticloadbalancing:AddTags'],
      resources: all,
      conditions: {
        StringEquals: {
          'elasticloadbalancing:CreateAction': making.filter((one) => allowed.includes(`elasticloadbalancing:${one}`)),
          ...givesOurTag(resources).StringEquals,
        },
      },
    },
    {
      sid: 'ElbTagsOurs',
      why: 'tags our resources, except with ownership tags',
      actions: ['elasticloadbalancing:AddTags'],
      resources: all,
      conditions: givesNoProof(resources),
    },
    ...(allowed.includes('elasticloadbalancing:RemoveTags')
      ? [
          {
            sid: 'ElbTagsTaken',
            why: 'removes tags from our resources, except ownership tags',
            actions: ['elasticloadbalancing:RemoveTags'],
            resources: all,
            conditions: takesNoProof(resources),
          },
        ]
      : []),
  ];
};
