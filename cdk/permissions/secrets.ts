/** One-time secrets: named so that instance profiles may read them, owned by tags. */
import type { Resources } from '../resources.ts';
import { carriesOurTag, givesOurTag, installationTag } from './rules.ts';
import type { Statement } from './statement.ts';

export const secretsArn = ({ partition, account }: Resources) =>
  `arn:${partition}:secretsmanager:*:${account}:secret:aws.cluster.x-k8s.io/*`;
const parametersArn = ({ partition, account }: Resources) =>
  `arn:${partition}:ssm:*:${account}:parameter/cluster.x-k8s.io/*`;

/** Reads of secrets: existence and tags, never values. */
export const narrowReads: readonly string[] = ['secretsmanager:DescribeSecret', 'ssm:ListTagsForResource'];

/** Neither service has a condition key for tagging on creation, so an existing tag must be ours already. */
const whileMaking = (resources: Resources) => ({
  ...givesOurTag(resources),
  StringEqualsIfExists: { [`aws:ResourceTag/${installationTag}`]: resources.installation },
});

export const oneShotSecrets = (allowed: readonly string[], resources: Resources): Statement[] => {
  const of = (statement: Statement): Statement[] =>
    statement.actions.every((action) => allowed.includes(action)) ? [statement] : [];
  const ours = carriesOurTag(resources);
  return [
    ...of({
      sid: 'SecretsLook',
      why: 'checks the owner of one-shot secrets before deleting them, and that they are gone',
      actions: narrowReads,
      resources: [secretsArn(resources), parametersArn(resources)],
    }),
    ...of({
      sid: 'SecretsMakes',
      why: 'creates bootstrap data; each secret is tagged in the call that creates it',
      actions: ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'],
      resources: [secretsArn(resources)],
      conditions: whileMaking(resources),
    }),
    ...of({
      sid: 'SecretsOurs',
      why: 'deletes only secrets with this installation’s tag; cannot read their values',
      actions: ['secretsmanager:DeleteSecret'],
      resources: [secretsArn(resources)],
      conditions: ours,
    }),
    ...of({
      sid: 'ParametersMakes',
      why: 'the same in Parameter Store; cannot overwrite a parameter',
      actions: ['ssm:PutParameter', 'ssm:AddTagsToResource'],
      resources: [parametersArn(resources)],
      conditions: { ...whileMaking(resources), StringNotEquals: { 'ssm:Overwrite': 'true' } },
    }),
    ...of({
      sid: 'ParametersOurs',
      why: 'deletes only parameters with this installation’s tag; cannot read their values',
      actions: ['ssm:DeleteParameter'],
      resources: [parametersArn(resources)],
      conditions: ours,
    }),
  ];
};
