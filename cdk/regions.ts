/**
 * Rules in further regions that forward the events of instances there to this one: EventBridge
 * delivers them only in their own region. CloudFormation deploys them as a stack set, and deletes
 * them with the stack.
 */
import { ArnFormat, CfnStackSet, type aws_events as events, aws_iam as iam, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Names } from './names.ts';

interface Forwarding {
  names: Names;
  regions: readonly string[];
  eventPattern: events.EventPattern;
}

const service = 'cloudformation.amazonaws.com';

/** What each region gets. The home region must not forward to itself, for ever. */
const templateOf = (ruleName: string, { source, detailType, detail }: events.EventPattern): object => ({
  Description: 'Capstan: forwards events of instances to the region of the control plane',
  Parameters: { Bus: { Type: 'String' }, Role: { Type: 'String' }, Home: { Type: 'String' } },
  Conditions: { IsHome: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, { Ref: 'Home' }] } },
  Resources: {
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        Name: ruleName,
        State: { 'Fn::If': ['IsHome', 'DISABLED', 'ENABLED'] },
        EventPattern: { source, 'detail-type': detailType, detail, region: [{ Ref: 'AWS::Region' }] },
        Targets: [{ Id: 'home', Arn: { Ref: 'Bus' }, RoleArn: { Ref: 'Role' } }],
      },
    },
  },
});

export const createForwarding = (scope: Construct, { names, regions, eventPattern }: Forwarding): void => {
  const stack = Stack.of(scope);
  const { account, region } = stack;
  const bus = stack.formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' });
  const sender = new iam.Role(scope, 'ForwardingRole', {
    assumedBy: new iam.ServicePrincipal('events.amazonaws.com'),
    description: 'Sends events of instances in other regions to this one',
  });
  sender.addToPolicy(new iam.PolicyStatement({ actions: ['events:PutEvents'], resources: [bus] }));
  const administration = new iam.Role(scope, 'ForwardingAdministration', {
    assumedBy: new iam.ServicePrincipal(service, { conditions: { StringEquals: { 'aws:SourceAccount': account } } }),
    description: 'Deploys the rules in other regions',
  });
  const execution = new iam.Role(scope, 'ForwardingExecution', {
    assumedBy: administration,
    description: 'Creates the rules in other regions',
  });
  administration.addToPolicy(new iam.PolicyStatement({ actions: ['sts:AssumeRole'], resources: [execution.roleArn] }));
  const everywhere = (of: string, resource: string, resourceName: string, arnFormat = ArnFormat.SLASH_RESOURCE_NAME) =>
    stack.formatArn({ service: of, region: '*', resource, resourceName, arnFormat });
  execution.addToPolicy(
    new iam.PolicyStatement({
      actions: ['cloudformation:*'],
      resources: [everywhere('cloudformation', 'stack', `StackSet-${names.forwarding}-*`)],
    }),
  );
  execution.addToPolicy(
    new iam.PolicyStatement({
      // The rule gets the stack's tags.
      actions: [
        ...['PutRule', 'DeleteRule', 'DescribeRule', 'PutTargets', 'RemoveTargets', 'ListTargetsByRule'],
        ...['TagResource', 'UntagResource', 'ListTagsForResource'],
      ].map((action) => `events:${action}`),
      resources: [everywhere('events', 'rule', names.forwarding)],
    }),
  );
  execution.addToPolicy(new iam.PolicyStatement({ actions: ['iam:PassRole'], resources: [sender.roleArn] }));
  const set = new CfnStackSet(scope, 'Forwarding', {
    stackSetName: names.forwarding,
    description: `Events for the control plane in ${region}`,
    permissionModel: 'SELF_MANAGED',
    administrationRoleArn: administration.roleArn,
    executionRoleName: execution.roleName,
    operationPreferences: { regionConcurrencyType: 'PARALLEL' },
    parameters: Object.entries({ Bus: bus, Role: sender.roleArn, Home: region }).map(
      ([parameterKey, parameterValue]) => ({ parameterKey, parameterValue }),
    ),
    stackInstancesGroup: [{ deploymentTargets: { accounts: [account] }, regions: [...regions] }],
    templateBody: JSON.stringify(templateOf(names.forwarding, eventPattern)),
  });
  // CloudFormation uses both roles as soon as the set exists.
  set.node.addDependency(administration, execution, sender);
};
