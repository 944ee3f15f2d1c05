/** Target groups and the health of their targets. */

import type { Calls } from '../call.ts';
import { balancingList, list } from '../list.ts';
import type { Empty, Tag } from '../shared.ts';

export type TargetGroup = {
  TargetGroupArn: string;
  TargetGroupName: string;
  Protocol: string;
  Port: number;
  VpcId: string;
  TargetType: string;
  IpAddressType?: 'ipv4' | 'ipv6';
  HealthCheckProtocol: string;
  HealthCheckPort: string;
  HealthCheckPath?: string;
  HealthCheckIntervalSeconds: number;
  HealthCheckTimeoutSeconds: number;
  HealthyThresholdCount: number;
  UnhealthyThresholdCount: number;
  LoadBalancerArns: string[];
};
/** Health check parameters, as the actions take them. */
export type HealthCheck = {
  HealthCheckProtocol?: string;
  HealthCheckPort?: string;
  HealthCheckPath?: string;
  HealthCheckIntervalSeconds?: number;
  HealthCheckTimeoutSeconds?: number;
  HealthyThresholdCount?: number;
  UnhealthyThresholdCount?: number;
};
export type TargetHealth = {
  Target: { Id: string; Port?: number };
  TargetHealth: { State: 'initial' | 'healthy' | 'unhealthy' | 'draining' | 'unused' | 'unavailable'; Reason?: string };
};
export interface TargetGroupActions {
  DescribeTargetGroups: [
    { LoadBalancerArn?: string; TargetGroupArns?: string[]; Names?: string[]; Marker?: string },
    { TargetGroups: TargetGroup[]; NextMarker?: string },
  ];
  CreateTargetGroup: [
    {
      Name: string;
      Protocol: string;
      Port: number;
      VpcId: string;
      TargetType: 'instance' | 'ip';
      /** By default ipv4. An instance needs a primary IPv6 address to be a target of the other. */
      IpAddressType?: 'ipv4' | 'ipv6';
      Tags: Tag[];
    } & HealthCheck,
    { TargetGroups: TargetGroup[] },
  ];
  ModifyTargetGroup: [{ TargetGroupArn: string } & HealthCheck, { TargetGroups: TargetGroup[] }];
  ModifyTargetGroupAttributes: [{ TargetGroupArn: string; Attributes: { Key: string; Value: string }[] }, Empty];
  DescribeTargetGroupAttributes: [{ TargetGroupArn: string }, { Attributes: { Key: string; Value: string }[] }];
  DeleteTargetGroup: [{ TargetGroupArn: string }, Empty];
  RegisterTargets: [{ TargetGroupArn: string; Targets: { Id: string; Port?: number }[] }, Empty];
  DeregisterTargets: [{ TargetGroupArn: string; Targets: { Id: string; Port?: number }[] }, Empty];
  DescribeTargetHealth: [
    { TargetGroupArn: string; Targets?: { Id: string; Port?: number }[] },
    { TargetHealthDescriptions: TargetHealth[] },
  ];
}

export const targetGroupCalls = {
  DescribeTargetGroups: {},
  CreateTargetGroup: { also: ['elasticloadbalancing:AddTags'], makes: ['targetgroup'] },
  ModifyTargetGroup: { ours: ['targetgroup'] },
  ModifyTargetGroupAttributes: { ours: ['targetgroup'] },
  DescribeTargetGroupAttributes: {},
  DeleteTargetGroup: { ours: ['targetgroup'] },
  RegisterTargets: { ours: ['targetgroup'] },
  DeregisterTargets: { ours: ['targetgroup'] },
  DescribeTargetHealth: {},
} as const satisfies Calls<TargetGroupActions>;

export const targetGroups = list('DescribeTargetGroups', 'TargetGroupArn', balancingList);
