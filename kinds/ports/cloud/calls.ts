// Written by `npm run registry`.

import { autoScalingGroupCalls } from './autoscaling/group.ts';
import { alarmCalls } from './cloudwatch/alarm.ts';
import { addressCalls } from './ec2/address.ts';
import { carrierGatewayCalls } from './ec2/carrier-gateway.ts';
import { egressOnlyInternetGatewayCalls } from './ec2/egress-only-internet-gateway.ts';
import { imageCalls } from './ec2/image.ts';
import { instanceCalls } from './ec2/instance.ts';
import { instanceStatusCalls } from './ec2/instance-status.ts';
import { instanceTypeCalls } from './ec2/instance-type.ts';
import { internetGatewayCalls } from './ec2/internet-gateway.ts';
import { ipamPoolCalls } from './ec2/ipam-pool.ts';
import { keyPairCalls } from './ec2/key-pair.ts';
import { launchTemplateCalls } from './ec2/launch-template.ts';
import { natGatewayCalls } from './ec2/nat-gateway.ts';
import { networkInterfaceCalls } from './ec2/network-interface.ts';
import { regionCalls } from './ec2/region.ts';
import { routeTableCalls } from './ec2/route-table.ts';
import { securityGroupCalls } from './ec2/security-group.ts';
import { snapshotCalls } from './ec2/snapshot.ts';
import { spotPriceCalls } from './ec2/spot-price.ts';
import { subnetCalls } from './ec2/subnet.ts';
import { tagCalls } from './ec2/tag.ts';
import { volumeCalls } from './ec2/volume.ts';
import { vpcCalls } from './ec2/vpc.ts';
import { vpcEndpointCalls } from './ec2/vpc-endpoint.ts';
import { accessEntryCalls } from './eks/access-entry.ts';
import { addonCalls } from './eks/add-on.ts';
import { eksClusterCalls } from './eks/cluster.ts';
import { nodegroupCalls } from './eks/node-group.ts';
import { classicLoadBalancerCalls } from './elasticloadbalancing/classic-load-balancer.ts';
import { listenerCalls } from './elasticloadbalancing/listener.ts';
import { loadBalancerCalls } from './elasticloadbalancing/load-balancer.ts';
import { balancingTagCalls } from './elasticloadbalancing/tag.ts';
import { targetGroupCalls } from './elasticloadbalancing/target-group.ts';
import { instanceProfileCalls } from './iam/instance-profile.ts';
import { roleCalls } from './iam/role.ts';
import { priceListCalls } from './pricing/price-list.ts';
import { secretCalls } from './secretsmanager/secret.ts';
import { quotaCalls } from './servicequotas/quota.ts';
import { parameterCalls } from './ssm/parameter.ts';
import { sessionCalls } from './sts/session.ts';
import { taggedResourceCalls } from './tag/tagged-resource.ts';

/** What IAM checks of each call, by service. */
export const calls = {
  autoscaling: [autoScalingGroupCalls],
  cloudwatch: [alarmCalls],
  ec2: [
    addressCalls,
    carrierGatewayCalls,
    egressOnlyInternetGatewayCalls,
    imageCalls,
    instanceStatusCalls,
    instanceTypeCalls,
    instanceCalls,
    internetGatewayCalls,
    ipamPoolCalls,
    keyPairCalls,
    launchTemplateCalls,
    natGatewayCalls,
    networkInterfaceCalls,
    regionCalls,
    routeTableCalls,
    securityGroupCalls,
    snapshotCalls,
    spotPriceCalls,
    subnetCalls,
    tagCalls,
    volumeCalls,
    vpcEndpointCalls,
    vpcCalls,
  ],
  eks: [accessEntryCalls, addonCalls, eksClusterCalls, nodegroupCalls],
  elasticloadbalancing: [
    classicLoadBalancerCalls,
    listenerCalls,
    loadBalancerCalls,
    balancingTagCalls,
    targetGroupCalls,
  ],
  iam: [instanceProfileCalls, roleCalls],
  pricing: [priceListCalls],
  secretsmanager: [secretCalls],
  servicequotas: [quotaCalls],
  ssm: [parameterCalls],
  sts: [sessionCalls],
  tag: [taggedResourceCalls],
} as const;
