/** Network and application load balancers. */

import type { Calls } from '../call.ts';
import { balancingList, list } from '../list.ts';
import type { Empty, Tag } from '../shared.ts';

export type LoadBalancer = {
  LoadBalancerArn: string;
  LoadBalancerName: string;
  DNSName: string;
  Scheme: 'internet-facing' | 'internal';
  Type: 'network' | 'application';
  VpcId: string;
  State: { Code: 'provisioning' | 'active' | 'active_impaired' | 'failed'; Reason?: string };
  AvailabilityZones: { ZoneName: string; SubnetId: string }[];
  SecurityGroups: string[];
  IpAddressType?: 'ipv4' | 'dualstack' | 'dualstack-without-public-ipv4';
};
export interface LoadBalancerActions {
  DescribeLoadBalancers: [
    { LoadBalancerArns?: string[]; Names?: string[]; Marker?: string },
    { LoadBalancers: LoadBalancer[]; NextMarker?: string },
  ];
  CreateLoadBalancer: [
    {
      Name: string;
      Type: 'network' | 'application';
      Scheme: 'internet-facing' | 'internal';
      Subnets: string[];
      SecurityGroups?: string[];
      /** By default ipv4. Dual stack takes subnets with blocks of both families. */
      IpAddressType?: 'ipv4' | 'dualstack';
      Tags: Tag[];
    },
    { LoadBalancers: LoadBalancer[] },
  ];
  ModifyLoadBalancerAttributes: [{ LoadBalancerArn: string; Attributes: { Key: string; Value: string }[] }, Empty];
  DescribeLoadBalancerAttributes: [{ LoadBalancerArn: string }, { Attributes: { Key: string; Value: string }[] }];
  SetSecurityGroups: [{ LoadBalancerArn: string; SecurityGroups: string[] }, { SecurityGroupIds: string[] }];
  SetSubnets: [
    { LoadBalancerArn: string; Subnets: string[] },
    { AvailabilityZones: { ZoneName: string; SubnetId: string }[] },
  ];
  DeleteLoadBalancer: [{ LoadBalancerArn: string }, Empty];
}

export const loadBalancerCalls = {
  DescribeLoadBalancers: {},
  // The service checks the groups within the VPC, even in a shared one. An account's first load balancer
  // creates the service-linked role.
  CreateLoadBalancer: {
    also: ['elasticloadbalancing:AddTags', 'ec2:GetSecurityGroupsForVpc', 'iam:CreateServiceLinkedRole'],
    makes: ['loadbalancer/net'],
  },
  ModifyLoadBalancerAttributes: { ours: ['loadbalancer/net'] },
  DescribeLoadBalancerAttributes: {},
  SetSecurityGroups: { also: ['ec2:GetSecurityGroupsForVpc'], ours: ['loadbalancer/net'] },
  SetSubnets: { ours: ['loadbalancer/net'] },
  DeleteLoadBalancer: { ours: ['loadbalancer/net'] },
} as const satisfies Calls<LoadBalancerActions>;

export const loadBalancers = list('DescribeLoadBalancers', 'LoadBalancerArn', balancingList);
