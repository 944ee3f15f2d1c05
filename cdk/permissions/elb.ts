/** Elastic Load Balancing: network load balancers with their target groups and listeners, and classic load balancers. */
import type { Resources } from '../resources.ts';
import { claims, givesNoProof, givesOurTag, rulesOf, type Service, takesNoProof } from './rules.ts';
import type { Statement } from './statement.ts';

const shapes = {
  // Only its name follows: the pattern has all load balancers, of which the conditions choose.
  'loadbalancer/classic': 'loadbalancer/*',
  'loadbalancer/net': 'loadbalancer/net/*/*',
  'listener/net': 'listener/net/*/*/*',
  targetgroup: 'targetgroup/*/*',
} as const;
type Type = keyof typeof shapes;

// Subnets, security groups and targets are not resources of these calls: the service uses them under its own role.
export const elasticLoadBalancing: Service<Type> = {
  name: 'Elb',
  rules: rulesOf('elasticloadbalancing'),
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
    ...Object.entries({
      Services: 'kubernetes.io/service-name',
      Controllers: 'elbv2.k8s.aws/cluster',
    }).map(([maker, key]) => {
      const conditions = claims(resources);
      return {
        sid: `ElbTagsLeftBy${maker}`,
        why: 'claims what Services of a deleted cluster left behind: it carries no installation’s tag, and this one',
        actions: ['elasticloadbalancing:AddTags'],
        resources: (['loadbalancer/classic', 'targetgroup'] as const).map((type) =>
          elasticLoadBalancing.arnOf(type, resources),
        ),
        conditions: { ...conditions, Null: { ...conditions.Null, [`aws:ResourceTag/${key}`]: 'false' } },
      };
    }),
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
