/** Describes the resources of a type. */
import { type Asking, listed } from './ask.ts';
import type { ResourceType } from './resource.ts';
import type { Whose } from './scope.ts';
import { ownedFilter } from './tags.ts';

/** The resources of a type that carry the cluster's tags. */
export const observeType = (cloud: Asking, whose: Whose, { list, filters = [], isOne }: ResourceType<unknown>) => {
  const all: unknown[] = (list && listed(cloud, list, [...ownedFilter(whose), ...filters])) ?? [];
  return isOne ? all.filter((one) => isOne(one)) : all;
};
