/** Every type of AWS resource that a cluster is made of, in the order in which they are created. */

import type { Types } from '../../engine/resource.ts';
import type { NetworkResource } from '../scope.ts';
import { bastions } from './bastions.ts';
import { carrierGateways } from './carrier-gateways.ts';
import { classicLoadBalancers } from './classic-load-balancers.ts';
import { egressOnlyInternetGateways } from './egress-only-internet-gateways.ts';
import { internetGateways } from './internet-gateways.ts';
import { listeners } from './listeners.ts';
import { loadBalancers } from './load-balancers.ts';
import { addresses, natGateways } from './nat-gateways.ts';
import { routeTables } from './route-tables.ts';
import { secondaryBlocks } from './secondary-blocks.ts';
import { securityGroups } from './security-groups.ts';
import { subnets } from './subnets.ts';
import { targetGroups } from './target-groups.ts';
import { vpcs } from './vpcs.ts';

export const resources = {
  vpcs,
  secondaryBlocks,
  internetGateways,
  carrierGateways,
  egressOnlyInternetGateways,
  subnets,
  addresses,
  natGateways,
  routeTables,
  securityGroups,
  bastions,
  targetGroups,
  loadBalancers,
  classicLoadBalancers,
  listeners,
};

export type Name = keyof typeof resources;
type Item<T> = T extends NetworkResource<infer One> ? One : never;

/** What AWS shows of a cluster. Parts of other resources have no list of their own. */
export type Inventory = { [N in Name]: Item<(typeof resources)[N]>[] };

/** The types by name, as the engine takes them. */
export const types: Types = resources;
