/** The topic of alarms, with the configured address and any other subscriber. */
import { aws_iam as iam, aws_sns as sns } from 'aws-cdk-lib';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface TopicOptions {
  installation: string;
  email: string | undefined;
  account: string;
}

export const createTopic = (scope: Construct, { installation, email, account }: TopicOptions): sns.Topic => {
  const topic = new sns.Topic(scope, 'Alarms', { topicName: `${installation}-alarms`, enforceSSL: true });
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  return topic;
};
