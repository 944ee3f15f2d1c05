/** Auto Scaling groups and launch templates. Nothing of them is allowed unless the deployment asks for machine pools. */
import { launchTemplateCalls } from '../../kinds/ports/cloud/ec2/launch-template.ts';
import type { Resources } from '../resources.ts';
import { ec2 } from './ec2.ts';
import { carriesOurTag, rulesOf, type Service, statementsOf } from './rules.ts';
import { secretsArn } from './secrets.ts';
import { isRead, type Statement } from './statement.ts';

const autoScaling: Service<'autoScalingGroup'> = {
  name: 'AutoScaling',
  rules: rulesOf('autoscaling'),
  arnOf: (_, { partition, account }) => `arn:${partition}:autoscaling:*:${account}:autoScalingGroup:*`,
};

const renewal = 'secretsmanager:PutSecretValue';
const templates = new Set(Object.keys(launchTemplateCalls).map((name) => `ec2:${name}`));
const isOfPools = (action: string): boolean =>
  action.startsWith('autoscaling:') || templates.has(action) || action === renewal;

/** What a deployment without machine pools allows of these actions. */
export const withoutPools = (allowed: readonly string[], { machinePools }: Resources): string[] =>
  allowed.filter((action) => machinePools || isRead(action) || !isOfPools(action));

export const poolStatements = (allowed: readonly string[], resources: Resources): Statement[] => {
  if (!allowed.includes('autoscaling:CreateAutoScalingGroup')) return [];
  const { partition, account } = resources;
  const service = 'autoscaling.amazonaws.com';
  return [
    ...statementsOf(autoScaling, allowed, resources),
    {
      sid: 'LaunchesByTemplate',
      why: 'Auto Scaling checks that the caller may launch by the template; what is launched needs our tag',
      actions: ['ec2:RunInstances'],
      resources: [ec2.arnOf('launch-template', resources)],
      conditions: carriesOurTag(resources),
    },
    {
      sid: 'SecretsRenews',
      why: 'renews the bootstrap data of pools in secrets with this installation’s tag; cannot read their values',
      actions: [renewal],
      resources: [secretsArn(resources)],
      conditions: carriesOurTag(resources),
    },
    {
      sid: 'MakesAutoScalingRole',
      why: 'the service-linked role, which the first group of an account creates',
      actions: ['iam:CreateServiceLinkedRole'],
      resources: [`arn:${partition}:iam::${account}:role/aws-service-role/${service}/AWSServiceRoleForAutoScaling`],
      conditions: { StringEquals: { 'iam:AWSServiceName': service } },
    },
  ];
};
