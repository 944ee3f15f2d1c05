/** The network of the function that calls workload clusters without a public address. */
import { aws_ec2 as ec2, type aws_iam as iam, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { arnIn } from './arn.ts';
import type { Settings } from './settings.ts';

export interface Network {
  vpc: ec2.IVpc;
  securityGroups: ec2.ISecurityGroup[];
}

const securityGroupId = 'WorkloadSecurityGroup';

export const isInNetwork = (scope: Construct): boolean => scope.node.tryFindChild(securityGroupId) !== undefined;

export const createNetwork = (scope: Construct, { installation, vpcId }: Settings): Network | undefined => {
  if (vpcId === undefined) return undefined;
  const vpc = ec2.Vpc.fromLookup(scope, 'Network', { vpcId });
  const securityGroup = new ec2.SecurityGroup(scope, securityGroupId, {
    vpc,
    description: `What of the Capstan installation ${installation} speaks to clusters`,
    allowAllOutbound: true,
  });
  return { vpc, securityGroups: [securityGroup] };
};

/** The resources of a network interface. */
export const networkResources = ['network-interface/*', 'subnet/*', 'security-group/*'];
/** All resources: Lambda checks for permission to delete an interface before one exists, and refuses a function without it. */
export const anyResource = '*/*';

const making = ['ec2:CreateNetworkInterface', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'];
const deleting = 'ec2:DeleteNetworkInterface';

/**
 * Lambda creates the function's network interfaces under the function's role, without tags; only in this network, and never
 * for the function's code, whose credentials carry its ARN.
 */
export const allowNetwork = (role: iam.Role, { vpc }: Network, functionArn: string): void => {
  const stack = Stack.of(role);
  const arn = (resource: string) => arnIn(stack)('ec2', resource);
  role.addToPolicy(
    new PolicyStatement({
      actions: making,
      resources: networkResources.map(arn),
      conditions: { ArnEquals: { 'ec2:Vpc': arn(`vpc/${vpc.vpcId}`) } },
    }),
  );
  role.addToPolicy(new PolicyStatement({ actions: [deleting], resources: [arn(anyResource)] }));
  role.addToPolicy(
    new PolicyStatement({ actions: ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'], resources: ['*'] }),
  );
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: [...making, deleting],
      resources: ['*'],
      conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
    }),
  );
};
