/** EKS: clusters with their parts, and the roles that it takes for them. Nothing of it is allowed unless the deployment names such roles. */
import type { Resources } from '../resources.ts';
import { givesOurTag, rulesOf, type Service, statementsOf } from './rules.ts';
import type { Statement } from './statement.ts';

type Type = 'cluster' | 'nodegroup' | 'addon' | 'access-entry';

const eks: Service<Type> = {
  name: 'Eks',
  rules: rulesOf('eks'),
  arnOf: (type, { partition, account }) => `arn:${partition}:eks:*:${account}:${type}/*`,
};

export const eksStatements = (allowed: readonly string[], resources: Resources): Statement[] => {
  const { partition, account, eksRoles } = resources;
  if (!allowed.includes('eks:CreateCluster') || eksRoles.length === 0) return [];
  const role = (name: string) => `arn:${partition}:iam::${account}:role/${name}`;
  const service = 'eks.amazonaws.com';
  return [
    ...statementsOf(eks, allowed, resources),
    {
      sid: 'EksTagsMade',
      why: 'tags clusters and their parts in the call that creates them',
      actions: ['eks:TagResource'],
      resources: (['cluster', 'nodegroup', 'addon', 'access-entry'] as const).map((type) => eks.arnOf(type, resources)),
      conditions: givesOurTag(resources),
    },
    {
      sid: 'PassesEksRoles',
      why: 'passes only the roles of the context `eksRoles`, and only to EKS; without any, no statement of EKS is made',
      actions: ['iam:PassRole'],
      resources: eksRoles.map(role),
      conditions: { StringEquals: { 'iam:PassedToService': [service] } },
    },
    {
      sid: 'MakesEksRole',
      why: 'the service-linked roles, which the first cluster and the first node group of an account create',
      actions: ['iam:CreateServiceLinkedRole'],
      resources: [
        role(`aws-service-role/${service}/AWSServiceRoleForAmazonEKS`),
        role(`aws-service-role/eks-nodegroup.amazonaws.com/AWSServiceRoleForAmazonEKSNodegroup`),
      ],
      conditions: { StringEquals: { 'iam:AWSServiceName': [service, 'eks-nodegroup.amazonaws.com'] } },
    },
  ];
};
