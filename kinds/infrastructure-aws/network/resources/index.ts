/** Every type of AWS resource that a cluster is made of, in the order in which they are created. */

import type { ResourceType } from '../../engine/resource.ts';
import { bastions } from './bastions.ts';
import { carrierGateways } from './carrier-gateways.ts';
import { classicLoadBalancers } from './classic-load-balancers.ts';
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
type Item<T> = T extends ResourceType<infer One> ? One : never;

/** What AWS shows of a cluster. Parts of other resources have no list of their own. */
export type Inventory = { [N in Name]: Item<(typeof resources)[N]>[] };

export type Types = Record<string, ResourceType<unknown>>;
/** The types by name, as the engine takes them. */
export const types: Types = resources;

/** Its name in the reasons of Events. */
export const eventNounOf = ({ title, eventNoun }: ResourceType<unknown>): string =>
  eventNoun ?? title.replace(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase());

/** The resources of a type, also those inside others. */
export const itemsOf = (found: Inventory, name: string, type: ResourceType<unknown>): readonly unknown[] => {
  const byName: Record<string, readonly unknown[]> = found;
  return type.inside?.(found) ?? byName[name] ?? [];
};

/** The type whose steps have such keys. */
export const typeOf = (key: string, all: Types = types): ResourceType<unknown> | undefined => {
  const sort = key.split('/')[0];
  return Object.values(all).find((one) => one.sort === sort);
};
