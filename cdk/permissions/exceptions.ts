/**
 * What a role may do, besides reading, to a whole sort of resource without a tag as condition; nothing else may be so. `on` is
 * what the resource's ARN says behind the account.
 */
export interface Exception {
  actions: readonly string[];
  on: readonly string[];
  why: string;
}

const referred = 'only referred to: what the same call makes or changes must carry our tag';

export const exceptions: readonly Exception[] = [
  { actions: ['ec2:CreateVpc'], on: ['ipam-pool/ipam-pool-*'], why: `the pool that gives a block is ${referred}` },
  { actions: ['ec2:AllocateAddress'], on: ['ipv4pool-ec2/ipv4pool-ec2-*'], why: `the pool is ${referred}` },
  { actions: ['ec2:CreateSecurityGroup'], on: ['vpc/vpc-*'], why: `users bring VPCs; the VPC is ${referred}` },
  {
    actions: ['ec2:RunInstances'],
    on: [
      'image/ami-*',
      'key-pair/*',
      'network-interface/eni-*',
      'placement-group/*',
      'security-group/sg-*',
      'subnet/subnet-*',
    ],
    why: `users name images, keys and placement groups, and bring networks; each is ${referred}`,
  },
  {
    actions: ['ec2:ModifyNetworkInterfaceAttribute'],
    on: ['security-group/sg-*', 'subnet/subnet-*'],
    why: `users bring groups; the interface that gets them must be ours, and they are ${referred}`,
  },
  {
    actions: ['ec2:DisassociateRouteTable'],
    on: ['subnet/subnet-*'],
    why: `a subnet that somebody put on our route table is ${referred}`,
  },
  {
    actions: ['ec2:CreateTags'],
    on: ['subnet/*'],
    why: 'brought subnets carry no tag of ours; aws:TagKeys leaves nothing to write but how a cloud provider finds them',
  },
  {
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    on: ['*'],
    why: 'traces have no resource that a policy could name',
  },
  {
    actions: ['logs:CreateLogDelivery', 'logs:DeleteLogDelivery', 'logs:PutResourcePolicy', 'logs:UpdateLogDelivery'],
    on: ['*'],
    why: 'the delivery of a state machine’s log has no resource that a policy could name',
  },
];
