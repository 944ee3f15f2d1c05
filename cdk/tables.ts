/** The tables of objects (with their log) and of work items. Both outlive the stack, so no deletion loses data. */
import { aws_dynamodb as dynamodb, RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const common = {
  partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
  sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
  timeToLiveAttribute: 'ttl',
  billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  deletionProtection: true,
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies dynamodb.TableProps;

export interface Tables {
  objects: dynamodb.Table;
  work: dynamodb.Table;
}

export const createTables = (scope: Construct): Tables => ({
  objects: new dynamodb.Table(scope, 'Objects', { ...common, stream: dynamodb.StreamViewType.NEW_IMAGE }),
  work: new dynamodb.Table(scope, 'Work', common),
});
