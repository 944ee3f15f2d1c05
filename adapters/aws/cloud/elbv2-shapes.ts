/** Decoders of load balancing resources. */
import type * as sdk from '@aws-sdk/client-elastic-load-balancing-v2';
import type * as port from '../../../kinds/ports/cloud/index.ts';
import { list, number, optional, record, text, textIfAny } from './decode.ts';

const tags = list(record<sdk.Tag, port.Tag>({ Key: text, Value: text }));
export const tagged = record<sdk.TagDescription, { ResourceArn: string; Tags: port.Tag[] }>({
  ResourceArn: text,
  Tags: tags,
});

type Attribute = port.CloudOutput<'DescribeLoadBalancerAttributes'>['Attributes'][number];
export const attribute = record<sdk.LoadBalancerAttribute, Attribute>({ Key: text, Value: text });

export const zone = record<sdk.AvailabilityZone, port.LoadBalancer['AvailabilityZones'][number]>({
  ZoneName: text,
  SubnetId: text,
});

export const loadBalancer = record<sdk.LoadBalancer, port.LoadBalancer>({
  LoadBalancerArn: text,
  LoadBalancerName: text,
  DNSName: text,
  Scheme: text,
  Type: text,
  VpcId: text,
  State: record<sdk.LoadBalancerState, port.LoadBalancer['State']>({ Code: text, Reason: textIfAny }),
  AvailabilityZones: list(zone),
  SecurityGroups: list(text),
  IpAddressType: textIfAny,
});

export const targetGroup = record<sdk.TargetGroup, port.TargetGroup>({
  TargetGroupArn: text,
  TargetGroupName: text,
  Protocol: text,
  Port: number,
  VpcId: text,
  TargetType: text,
  IpAddressType: textIfAny,
  HealthCheckProtocol: text,
  HealthCheckPort: text,
  HealthCheckPath: textIfAny,
  HealthCheckIntervalSeconds: number,
  HealthCheckTimeoutSeconds: number,
  HealthyThresholdCount: number,
  UnhealthyThresholdCount: number,
  LoadBalancerArns: list(text),
});

type DefaultActions = port.Listener['DefaultActions'];
const action = record<sdk.Action, DefaultActions[number]>({ Type: text, TargetGroupArn: text });
export const listener = record<sdk.Listener, Omit<port.Listener, 'Endpoint'>>({
  ListenerArn: text,
  LoadBalancerArn: text,
  Protocol: text,
  Port: number,
  DefaultActions: list(action),
});

export const targetHealth = record<sdk.TargetHealthDescription, port.TargetHealth>({
  Target: record<sdk.TargetDescription, port.TargetHealth['Target']>({ Id: text, Port: optional(number) }),
  TargetHealth: record<sdk.TargetHealth, port.TargetHealth['TargetHealth']>({ State: text, Reason: textIfAny }),
});
