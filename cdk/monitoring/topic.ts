/** The topic of alarms, with the configured address and any other subscriber. */
import { CfnOutput, aws_iam as iam, aws_sns as sns } from 'aws-cdk-lib';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { namesOf } from '../names.ts';

export interface TopicOptions {
  installation: string;
  email: string | undefined;
  account: string;
}

export const createTopic = (scope: Construct, { installation, email, account }: TopicOptions): sns.Topic => {
  const topic = new sns.Topic(scope, 'Alarms', { topicName: namesOf(installation).alarms, enforceSSL: true });
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  // The CDK prints it after each deployment.
  new CfnOutput(scope, 'AlarmsHeardBy', {
    value: email ?? `NO USER: give --context alarmEmail=<address>, or subscribe to ${topic.topicArn}`,
  });
  return topic;
};
