/**
 * Write actions that a role may use on all resources of a type without a tag condition. A test rejects any other.
 * `on` is the part of the ARN after the account.
 */
export interface Exception {
  actions: readonly string[];
  on: readonly string[];
  why: string;
}

const referred = 'only referenced; resources that the call creates or changes must carry our tag';

export const exceptions: readonly Exception[] = [
  { actions: ['ec2:CreateVpc'], on: ['ipam-pool/ipam-pool-*'], why: `the IPAM pool is ${referred}` },
  { actions: ['ec2:AllocateAddress'], on: ['ipv4pool-ec2/ipv4pool-ec2-*'], why: `the address pool is ${referred}` },
  { actions: ['ec2:CreateSecurityGroup'], on: ['vpc/vpc-*'], why: `the VPC may be unmanaged and is ${referred}` },
  {
    actions: ['ec2:RunInstances'],
    on: [
      'capacity-reservation/cr-*',
      'image/ami-*',
      'key-pair/*',
      'network-interface/eni-*',
      'placement-group/*',
      'security-group/sg-*',
      'subnet/subnet-*',
    ],
    why: `reserved capacity, images, keys, placement groups and unmanaged networks are ${referred}`,
  },
  {
    actions: ['ec2:RunInstances'],
    on: ['spot-instances-request/*'],
    why: 'EC2 makes the one-time request with the instance, which needs our tag, and it ends with it',
  },
  {
    actions: ['ec2:ModifyNetworkInterfaceAttribute'],
    on: ['security-group/sg-*', 'subnet/subnet-*'],
    why: `the interface must be ours; its groups and subnet are ${referred}`,
  },
  {
    actions: ['ec2:DisassociateRouteTable'],
    on: ['subnet/subnet-*'],
    why: `a subnet that a user associated with our route table is ${referred}`,
  },
  {
    actions: ['ec2:CreateTags'],
    on: ['subnet/*'],
    why: 'unmanaged subnets lack our tag; aws:TagKeys permits only the tags by which a cloud provider finds them',
  },
  {
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    on: ['*'],
    why: 'traces have no resource-level permissions',
  },
  {
    actions: ['logs:CreateLogDelivery', 'logs:DeleteLogDelivery', 'logs:PutResourcePolicy', 'logs:UpdateLogDelivery'],
    on: ['*'],
    why: 'log delivery of a state machine has no resource-level permissions',
  },
];
