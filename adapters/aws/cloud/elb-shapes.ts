/** Decoders of classic load balancers. */
import type * as sdk from '@aws-sdk/client-elastic-load-balancing';
import type * as port from '../../../kinds/ports/cloud/index.ts';
import { flag, list, number, record, text } from './decode.ts';

export const tagged = record<sdk.TagDescription, { LoadBalancerName: string; Tags: port.Tag[] }>({
  LoadBalancerName: text,
  Tags: list(record<sdk.Tag, port.Tag>({ Key: text, Value: text })),
});

export const attributes = record<sdk.LoadBalancerAttributes, port.ClassicAttributes>({
  CrossZoneLoadBalancing: record<sdk.CrossZoneLoadBalancing, port.ClassicAttributes['CrossZoneLoadBalancing']>({
    Enabled: flag,
  }),
  ConnectionSettings: record<sdk.ConnectionSettings, port.ClassicAttributes['ConnectionSettings']>({
    IdleTimeout: number,
  }),
});

const listener = record<sdk.ListenerDescription, { Listener: port.ClassicListener }>({
  Listener: record<sdk.Listener, port.ClassicListener>({
    Protocol: text,
    LoadBalancerPort: number,
    InstanceProtocol: text,
    InstancePort: number,
  }),
});

export const loadBalancer = record<sdk.LoadBalancerDescription, port.ClassicLoadBalancer>({
  LoadBalancerName: text,
  DNSName: text,
  Scheme: text,
  VPCId: text,
  Subnets: list(text),
  AvailabilityZones: list(text),
  SecurityGroups: list(text),
  Instances: list(record<sdk.Instance, { InstanceId: string }>({ InstanceId: text })),
  HealthCheck: record<sdk.HealthCheck, port.ClassicHealthCheck>({
    Target: text,
    Interval: number,
    Timeout: number,
    HealthyThreshold: number,
    UnhealthyThreshold: number,
  }),
  ListenerDescriptions: list(listener),
});
