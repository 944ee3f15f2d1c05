/** One-shot secrets: under the names that node profiles may read, and ours by their tags. */
import type { Resources } from '../resources.ts';
import { carriesOurTag, givesOurTag, installationTag } from './rules.ts';
import type { Statement } from './statement.ts';

const secretsArn = ({ partition, account }: Resources) =>
  `arn:${partition}:secretsmanager:*:${account}:secret:aws.cluster.x-k8s.io/*`;
const parametersArn = ({ partition, account }: Resources) =>
  `arn:${partition}:ssm:*:${account}:parameter/cluster.x-k8s.io/*`;

/** What is read of secrets: whether they are there, and whose they are. */
export const narrowReads: readonly string[] = ['secretsmanager:DescribeSecret', 'ssm:ListTagsForResource'];

/** Neither service says of a tag that it comes with the making; one that is there must be ours before. */
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
      why: 'sees whose one-shot secrets are before it deletes them, and that they are gone',
      actions: narrowReads,
      resources: [secretsArn(resources), parametersArn(resources)],
    }),
    ...of({
      sid: 'SecretsMakes',
      why: 'bootstrap data, each secret made once and tagged as it is made',
      actions: ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'],
      resources: [secretsArn(resources)],
      conditions: whileMaking(resources),
    }),
    ...of({
      sid: 'SecretsOurs',
      why: 'deletes no secret but what carries the tag of this installation, and reads none',
      actions: ['secretsmanager:DeleteSecret'],
      resources: [secretsArn(resources)],
      conditions: ours,
    }),
    ...of({
      sid: 'ParametersMakes',
      why: 'the same in Parameter Store, for machines that ask for it; nothing that is there is overwritten',
      actions: ['ssm:PutParameter', 'ssm:AddTagsToResource'],
      resources: [parametersArn(resources)],
      conditions: { ...whileMaking(resources), StringNotEquals: { 'ssm:Overwrite': 'true' } },
    }),
    ...of({
      sid: 'ParametersOurs',
      why: 'deletes no parameter but what carries the tag of this installation, and reads no value',
      actions: ['ssm:DeleteParameter'],
      resources: [parametersArn(resources)],
      conditions: ours,
    }),
  ];
};
