/** Changes that the stream discards: kept with the dead letters, and published to the sweep. */
import { aws_iam as iam, type aws_lambda as lambda, aws_sns as sns, type aws_sqs as sqs } from 'aws-cdk-lib';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Names } from './names.ts';

export interface LostChangesOptions {
  names: Names;
  sweep: lambda.IFunction;
  deadLetters: sqs.Queue;
}

export const createLostChanges = (scope: Construct, { names, sweep, deadLetters }: LostChangesOptions): sns.Topic => {
  const topic = new sns.Topic(scope, 'LostChanges', { topicName: names.lostChanges, enforceSSL: true });
  topic.addSubscription(new LambdaSubscription(sweep, { deadLetterQueue: deadLetters }));
  const kept = new sns.Subscription(scope, 'LostChangesKept', {
    topic,
    protocol: sns.SubscriptionProtocol.SQS,
    endpoint: deadLetters.queueArn,
    rawMessageDelivery: true,
  });
  const { policyDependable } = deadLetters.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [deadLetters.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
    }),
  );
  kept.node.addDependency(policyDependable!);
  return topic;
};
