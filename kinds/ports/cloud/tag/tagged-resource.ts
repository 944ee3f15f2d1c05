/** The tagging API, which knows resources of all services. */
import type { Calls } from '../call.ts';
import type { Tag } from '../shared.ts';

export interface TaggedResourceActions {
  /** By tag, for any service; used where a service's describe calls cannot filter by tag. */
  GetResources: [
    { TagFilters: { Key: string; Values?: string[] }[]; ResourceTypeFilters?: string[]; PaginationToken?: string },
    { ResourceTagMappingList: { ResourceARN: string; Tags: Tag[] }[]; PaginationToken?: string },
  ];
}

export const taggedResourceCalls = {
  GetResources: {},
} as const satisfies Calls<TaggedResourceActions>;
