/** EKS: clusters with their parts, and the roles that it takes for them. Nothing of it is allowed unless the deployment names such roles. */
import { attachedPolicies, madeRoles } from '../../kinds/ports/cloud/iam/role.ts';
import type { Resources } from '../resources.ts';
import { givesOurTag, rulesOf, type Service, statementsOf } from './rules.ts';
import type { Statement } from './statement.ts';

type Type = 'cluster' | 'nodegroup' | 'addon' | 'access-entry';

const eks: Service<Type> = {
  name: 'Eks',
  rules: rulesOf('eks'),
  arnOf: (type, { partition, account }) => `arn:${partition}:eks:*:${account}:${type}/*`,
};

const iam: Service<'role'> = {
  name: 'EksRoles',
  rules: rulesOf('iam'),
  arnOf: (_, { partition, account }) => `arn:${partition}:iam::${account}:role/${madeRoles}`,
};

/** Roles of Capstan's own, which the context asks for by the pattern of their names. */
const roleStatements = (allowed: readonly string[], resources: Resources): Statement[] => {
  if (!resources.eksRoles.includes(madeRoles)) return [];
  const { partition } = resources;
  const arns = attachedPolicies.map((name) => `arn:${partition}:iam::aws:policy/${name}`);
  const isAboutPolicies = ({ actions }: Statement) => actions.some((action) => action.endsWith('RolePolicy'));
  const split = statementsOf(iam, allowed, resources).flatMap((statement): Statement[] => {
    if (!isAboutPolicies(statement)) return [statement];
    const about = statement.actions.filter((action) => action.endsWith('RolePolicy'));
    const others = statement.actions.filter((action) => !action.endsWith('RolePolicy'));
    return [
      { ...statement, actions: others },
      {
        ...statement,
        sid: 'EksRolesPolicies',
        why: 'attaches only these policies of AWS, to roles with this installation’s tag',
        actions: about,
        conditions: { ...statement.conditions, ArnEquals: { 'iam:PolicyARN': arns } },
      },
    ];
  });
  return [
    ...split,
    {
      sid: 'EksRolesTagsMade',
      why: 'tags roles in the call that creates them',
      actions: ['iam:TagRole'],
      resources: [iam.arnOf('role', resources)],
      conditions: givesOurTag(resources),
    },
  ];
};

export const eksStatements = (allowed: readonly string[], resources: Resources): Statement[] => {
  const { partition, account, eksRoles } = resources;
  if (!allowed.includes('eks:CreateCluster') || eksRoles.length === 0) return [];
  const role = (name: string) => `arn:${partition}:iam::${account}:role/${name}`;
  const service = 'eks.amazonaws.com';
  return [
    ...statementsOf(eks, allowed, resources),
    ...roleStatements(allowed, resources),
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
