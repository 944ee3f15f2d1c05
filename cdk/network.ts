/** The network that the function which speaks to clusters runs in, where those have no address outside of it. */
import { aws_ec2 as ec2 } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

export interface Network {
  vpc: ec2.IVpc;
  securityGroups: ec2.ISecurityGroup[];
}

export const createNetwork = (scope: Construct, { installation, vpcId }: Settings): Network | undefined => {
  if (vpcId === undefined) return undefined;
  const vpc = ec2.Vpc.fromLookup(scope, 'Network', { vpcId });
  const securityGroup = new ec2.SecurityGroup(scope, 'WorkloadSecurityGroup', {
    vpc,
    description: `What of the Capstan installation ${installation} speaks to clusters`,
    allowAllOutbound: true,
  });
  return { vpc, securityGroups: [securityGroup] };
};
