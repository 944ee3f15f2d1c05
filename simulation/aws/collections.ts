// Written by `npm run registry`.

import { addresses } from './address.ts';
import { carrierGateways } from './carrier-gateway.ts';
import { classicLoadBalancers } from './classic-health.ts';
import type { Collection, CollectionOf } from './collection.ts';
import { egressOnlyInternetGateways } from './egress-only-internet-gateway.ts';
import { eksAccessEntries } from './eks-access-entry.ts';
import { eksAddons } from './eks-add-on.ts';
import { eksClusters } from './eks-cluster.ts';
import { eksNodegroups } from './eks-nodegroup.ts';
import { autoScalingGroups } from './group.ts';
import { images } from './image.ts';
import { instances } from './instance.ts';
import { internetGateways } from './internet-gateway.ts';
import { launchTemplates } from './launch-template.ts';
import { listeners } from './listener.ts';
import { loadBalancers } from './load-balancer.ts';
import { natGateways } from './nat-gateway.ts';
import { parameters } from './parameter.ts';
import { roles } from './role.ts';
import { routeTables } from './route-table.ts';
import { secrets } from './secret.ts';
import { securityGroups } from './security-group.ts';
import { snapshots } from './snapshot.ts';
import { subnets } from './subnet.ts';
import { targetGroups } from './target-group.ts';
import { vpcs } from './vpc.ts';
import { vpcEndpoints } from './vpc-endpoint.ts';

export const collections = {
  addresses,
  carrierGateways,
  classicLoadBalancers,
  egressOnlyInternetGateways,
  eksAccessEntries,
  eksAddons,
  eksClusters,
  eksNodegroups,
  autoScalingGroups,
  images,
  instances,
  internetGateways,
  launchTemplates,
  listeners,
  loadBalancers,
  natGateways,
  parameters,
  roles,
  routeTables,
  secrets,
  securityGroups,
  snapshots,
  subnets,
  targetGroups,
  vpcEndpoints,
  vpcs,
};

export type Collections = {
  [K in keyof typeof collections]: (typeof collections)[K] extends CollectionOf<infer T> ? Collection<T> : never;
};
