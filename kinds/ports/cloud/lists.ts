// Written by `npm run registry`.

import { autoScalingGroups } from './autoscaling/group.ts';
import { addresses } from './ec2/address.ts';
import { carrierGateways } from './ec2/carrier-gateway.ts';
import { egressOnlyInternetGateways } from './ec2/egress-only-internet-gateway.ts';
import { instances } from './ec2/instance.ts';
import { internetGateways } from './ec2/internet-gateway.ts';
import { launchTemplates } from './ec2/launch-template.ts';
import { natGateways } from './ec2/nat-gateway.ts';
import { networkInterfaces } from './ec2/network-interface.ts';
import { routeTables } from './ec2/route-table.ts';
import { securityGroups } from './ec2/security-group.ts';
import { snapshots } from './ec2/snapshot.ts';
import { subnets } from './ec2/subnet.ts';
import { volumes } from './ec2/volume.ts';
import { vpcs } from './ec2/vpc.ts';
import { vpcEndpoints } from './ec2/vpc-endpoint.ts';
import { classicLoadBalancers } from './elasticloadbalancing/classic-load-balancer.ts';
import { loadBalancers } from './elasticloadbalancing/load-balancer.ts';
import { targetGroups } from './elasticloadbalancing/target-group.ts';

export const lists = {
  autoScalingGroups,
  addresses,
  carrierGateways,
  egressOnlyInternetGateways,
  instances,
  internetGateways,
  launchTemplates,
  natGateways,
  networkInterfaces,
  routeTables,
  securityGroups,
  snapshots,
  subnets,
  volumes,
  vpcEndpoints,
  vpcs,
  classicLoadBalancers,
  loadBalancers,
  targetGroups,
};
