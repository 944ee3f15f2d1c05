/**
 * Classic load balancers. Elastic Load Balancing's two versions have actions of the same names, so
 * those of this one say `Classic`.
 */

import type { Calls } from '../call.ts';
import type { CloudOutput } from '../index.ts';
import { balancingList, list } from '../list.ts';
import type { Empty, Tag } from '../shared.ts';
import type { Endpoint } from './listener.ts';

export type ClassicListener = {
  Protocol: string;
  LoadBalancerPort: number;
  InstanceProtocol: string;
  InstancePort: number;
};
export type ClassicHealthCheck = {
  /** Such as TCP:6443 or HTTPS:6443/readyz. */
  Target: string;
  Interval: number;
  Timeout: number;
  HealthyThreshold: number;
  UnhealthyThreshold: number;
};
export type ClassicAttributes = {
  CrossZoneLoadBalancing: { Enabled: boolean };
  ConnectionSettings: { IdleTimeout: number };
};
/** Its name identifies it in the region. It serves as soon as its name resolves. */
export type ClassicLoadBalancer = {
  LoadBalancerName: string;
  DNSName: string;
  Scheme: 'internet-facing' | 'internal';
  VPCId: string;
  Subnets: string[];
  AvailabilityZones: string[];
  SecurityGroups: string[];
  Instances: { InstanceId: string }[];
  HealthCheck: ClassicHealthCheck;
  /** `Endpoint`: as of a Listener, and only in the answer to a call with names. */
  ListenerDescriptions: { Listener: ClassicListener; Endpoint?: Endpoint }[];
};
export interface ClassicLoadBalancerActions {
  DescribeClassicLoadBalancers: [
    { LoadBalancerNames?: string[]; Marker?: string },
    { LoadBalancerDescriptions: ClassicLoadBalancer[]; NextMarker?: string },
  ];
  CreateClassicLoadBalancer: [
    {
      LoadBalancerName: string;
      Listeners: ClassicListener[];
      Scheme: ClassicLoadBalancer['Scheme'];
      Subnets: string[];
      SecurityGroups: string[];
      Tags: Tag[];
    },
    { DNSName: string },
  ];
  DeleteClassicLoadBalancer: [{ LoadBalancerName: string }, Empty];
  ConfigureHealthCheck: [{ LoadBalancerName: string; HealthCheck: ClassicHealthCheck }, Empty];
  ModifyClassicLoadBalancerAttributes: [{ LoadBalancerName: string; LoadBalancerAttributes: ClassicAttributes }, Empty];
  DescribeClassicLoadBalancerAttributes: [{ LoadBalancerName: string }, { LoadBalancerAttributes: ClassicAttributes }];
  CreateLoadBalancerListeners: [{ LoadBalancerName: string; Listeners: ClassicListener[] }, Empty];
  AttachLoadBalancerToSubnets: [{ LoadBalancerName: string; Subnets: string[] }, Empty];
  ApplySecurityGroupsToLoadBalancer: [{ LoadBalancerName: string; SecurityGroups: string[] }, Empty];
  RegisterInstancesWithLoadBalancer: [{ LoadBalancerName: string; Instances: { InstanceId: string }[] }, Empty];
  DeregisterInstancesFromLoadBalancer: [{ LoadBalancerName: string; Instances: { InstanceId: string }[] }, Empty];
  DescribeClassicLoadBalancerTags: [
    { LoadBalancerNames: string[] },
    { TagDescriptions: { LoadBalancerName: string; Tags: Tag[] }[] },
  ];
  AddClassicLoadBalancerTags: [{ LoadBalancerNames: string[]; Tags: Tag[] }, Empty];
  RemoveClassicLoadBalancerTags: [{ LoadBalancerNames: string[]; Tags: { Key: string }[] }, Empty];
}

export const classicLoadBalancerCalls = {
  DescribeClassicLoadBalancers: { iam: 'elasticloadbalancing:DescribeLoadBalancers' },
  CreateClassicLoadBalancer: {
    iam: 'elasticloadbalancing:CreateLoadBalancer',
    also: ['elasticloadbalancing:AddTags', 'iam:CreateServiceLinkedRole'],
    makes: ['loadbalancer/classic'],
  },
  DeleteClassicLoadBalancer: { iam: 'elasticloadbalancing:DeleteLoadBalancer', ours: ['loadbalancer/classic'] },
  ConfigureHealthCheck: { ours: ['loadbalancer/classic'] },
  ModifyClassicLoadBalancerAttributes: {
    iam: 'elasticloadbalancing:ModifyLoadBalancerAttributes',
    ours: ['loadbalancer/classic'],
  },
  DescribeClassicLoadBalancerAttributes: { iam: 'elasticloadbalancing:DescribeLoadBalancerAttributes' },
  CreateLoadBalancerListeners: { ours: ['loadbalancer/classic'] },
  AttachLoadBalancerToSubnets: { ours: ['loadbalancer/classic'] },
  ApplySecurityGroupsToLoadBalancer: { ours: ['loadbalancer/classic'] },
  RegisterInstancesWithLoadBalancer: { ours: ['loadbalancer/classic'] },
  DeregisterInstancesFromLoadBalancer: { ours: ['loadbalancer/classic'] },
  DescribeClassicLoadBalancerTags: { iam: 'elasticloadbalancing:DescribeTags' },
  AddClassicLoadBalancerTags: { iam: 'elasticloadbalancing:AddTags' },
  RemoveClassicLoadBalancerTags: { iam: 'elasticloadbalancing:RemoveTags' },
} as const satisfies Calls<ClassicLoadBalancerActions>;

export const classicLoadBalancers = list<'DescribeClassicLoadBalancers', ClassicLoadBalancer>(
  'DescribeClassicLoadBalancers',
  'LoadBalancerName',
  {
    ...balancingList,
    items: (page) => (page as CloudOutput<'DescribeClassicLoadBalancers'>).LoadBalancerDescriptions,
  },
);
