/** What each function's own calls need. What Lambda does in its name (logs, traces, reading queues and the stream) is added where that is set up. */
import { aws_iam as iam } from 'aws-cdk-lib';
import type { FunctionName } from '../names.ts';
import type { Resources } from '../resources.ts';

export const statementsFor = (fn: FunctionName, { tables, key, queues }: Resources): iam.PolicyStatement[] => {
  const statements = [
    new iam.PolicyStatement({
      actions: [
        'dynamodb:GetItem',
        'dynamodb:Query',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:ConditionCheckItem',
      ],
      resources: [tables.objects, tables.work],
    }),
    new iam.PolicyStatement({ actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:GenerateDataKey'], resources: [key] }),
  ];
  if (fn === 'api' || fn === 'watch') return statements;
  const all = Object.values(queues).flatMap(({ hot, slow }) => [hot, slow]);
  return [...statements, new iam.PolicyStatement({ actions: ['sqs:SendMessage'], resources: all })];
};
