// Written by `npm run registry`.

import type { AutoScalingGroupActions } from './autoscaling/group.ts';
import type { AlarmActions } from './cloudwatch/alarm.ts';
import type { AddressActions } from './ec2/address.ts';
import type { CarrierGatewayActions } from './ec2/carrier-gateway.ts';
import type { EgressOnlyInternetGatewayActions } from './ec2/egress-only-internet-gateway.ts';
import type { ImageActions } from './ec2/image.ts';
import type { InstanceActions } from './ec2/instance.ts';
import type { InstanceStatusActions } from './ec2/instance-status.ts';
import type { InstanceTypeActions } from './ec2/instance-type.ts';
import type { InternetGatewayActions } from './ec2/internet-gateway.ts';
import type { IpamPoolActions } from './ec2/ipam-pool.ts';
import type { KeyPairActions } from './ec2/key-pair.ts';
import type { LaunchTemplateActions } from './ec2/launch-template.ts';
import type { NatGatewayActions } from './ec2/nat-gateway.ts';
import type { NetworkInterfaceActions } from './ec2/network-interface.ts';
import type { RegionActions } from './ec2/region.ts';
import type { RouteTableActions } from './ec2/route-table.ts';
import type { SecurityGroupActions } from './ec2/security-group.ts';
import type { SnapshotActions } from './ec2/snapshot.ts';
import type { SpotPriceActions } from './ec2/spot-price.ts';
import type { SubnetActions } from './ec2/subnet.ts';
import type { TagActions } from './ec2/tag.ts';
import type { VolumeActions } from './ec2/volume.ts';
import type { VpcActions } from './ec2/vpc.ts';
import type { VpcEndpointActions } from './ec2/vpc-endpoint.ts';
import type { AccessEntryActions } from './eks/access-entry.ts';
import type { AddonActions } from './eks/add-on.ts';
import type { EksClusterActions } from './eks/cluster.ts';
import type { NodegroupActions } from './eks/node-group.ts';
import type { ClassicLoadBalancerActions } from './elasticloadbalancing/classic-load-balancer.ts';
import type { ListenerActions } from './elasticloadbalancing/listener.ts';
import type { LoadBalancerActions } from './elasticloadbalancing/load-balancer.ts';
import type { BalancingTagActions } from './elasticloadbalancing/tag.ts';
import type { TargetGroupActions } from './elasticloadbalancing/target-group.ts';
import type { InstanceProfileActions } from './iam/instance-profile.ts';
import type { RoleActions } from './iam/role.ts';
import type { PriceListActions } from './pricing/price-list.ts';
import type { SecretActions } from './secretsmanager/secret.ts';
import type { QuotaActions } from './servicequotas/quota.ts';
import type { ParameterActions } from './ssm/parameter.ts';
import type { SessionActions } from './sts/session.ts';
import type { TaggedResourceActions } from './tag/tagged-resource.ts';

export type * from './autoscaling/group.ts';
export type * from './cloudwatch/alarm.ts';
export type * from './ec2/address.ts';
export type * from './ec2/carrier-gateway.ts';
export type * from './ec2/egress-only-internet-gateway.ts';
export type * from './ec2/image.ts';
export type * from './ec2/instance.ts';
export type * from './ec2/instance-status.ts';
export type * from './ec2/instance-type.ts';
export type * from './ec2/internet-gateway.ts';
export type * from './ec2/ipam-pool.ts';
export type * from './ec2/key-pair.ts';
export type * from './ec2/launch-template.ts';
export type * from './ec2/nat-gateway.ts';
export type * from './ec2/network-interface.ts';
export type * from './ec2/region.ts';
export type * from './ec2/route-table.ts';
export type * from './ec2/security-group.ts';
export type * from './ec2/snapshot.ts';
export type * from './ec2/spot-price.ts';
export type * from './ec2/subnet.ts';
export type * from './ec2/tag.ts';
export type * from './ec2/volume.ts';
export type * from './ec2/vpc.ts';
export type * from './ec2/vpc-endpoint.ts';
export type * from './eks/access-entry.ts';
export type * from './eks/add-on.ts';
export type * from './eks/cluster.ts';
export type * from './eks/node-group.ts';
export type * from './elasticloadbalancing/classic-load-balancer.ts';
export type * from './elasticloadbalancing/listener.ts';
export type * from './elasticloadbalancing/load-balancer.ts';
export type * from './elasticloadbalancing/tag.ts';
export type * from './elasticloadbalancing/target-group.ts';
export type * from './iam/instance-profile.ts';
export type * from './iam/role.ts';
export type * from './pricing/price-list.ts';
export type * from './secretsmanager/secret.ts';
export type * from './servicequotas/quota.ts';
export type * from './ssm/parameter.ts';
export type * from './sts/session.ts';
export type * from './tag/tagged-resource.ts';

/** Each action's input and output. */
export interface CloudActions
  extends AutoScalingGroupActions,
    AlarmActions,
    AddressActions,
    CarrierGatewayActions,
    EgressOnlyInternetGatewayActions,
    ImageActions,
    InstanceStatusActions,
    InstanceTypeActions,
    InstanceActions,
    InternetGatewayActions,
    IpamPoolActions,
    KeyPairActions,
    LaunchTemplateActions,
    NatGatewayActions,
    NetworkInterfaceActions,
    RegionActions,
    RouteTableActions,
    SecurityGroupActions,
    SnapshotActions,
    SpotPriceActions,
    SubnetActions,
    TagActions,
    VolumeActions,
    VpcEndpointActions,
    VpcActions,
    AccessEntryActions,
    AddonActions,
    EksClusterActions,
    NodegroupActions,
    ClassicLoadBalancerActions,
    ListenerActions,
    LoadBalancerActions,
    BalancingTagActions,
    TargetGroupActions,
    InstanceProfileActions,
    RoleActions,
    PriceListActions,
    SecretActions,
    QuotaActions,
    ParameterActions,
    SessionActions,
    TaggedResourceActions {}
