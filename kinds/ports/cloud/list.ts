/** How AWS lists each type of resource: by tag, page by page, and by id. */
import type { CloudAction, CloudActions, CloudOutput } from './index.ts';
import type { Filter } from './shared.ts';

export interface List<T> {
  action: CloudAction;
  /** The parameters that narrow the list. Load balancing has no filters. */
  filtered: (filters: Filter[]) => object;
  /** Whether the filters may name tags. */
  isByTag: boolean;
  /** The parameters that ask for these resources. */
  named: (ids: string[]) => object;
  /** The largest page; undefined when the action has no such parameter. */
  pageSize: number | undefined;
  /** The token of the next page: its parameter, and its field in a page. */
  next: readonly ['NextToken', 'NextToken'] | readonly ['Marker', 'NextMarker'];
  items: (page: unknown) => T[];
  /** The field with the id. */
  key: string;
  id(one: T): string;
  /** IAM's name of the type. */
  type?: string;
  /** What ids begin with, before a hyphen. */
  prefix?: string;
}

/** What a page of DescribeXs lists in its field Xs. */
type Item<A extends CloudAction> = A extends `Describe${infer Field}`
  ? CloudOutput<A> extends Record<Field, (infer T)[]>
    ? T
    : never
  : never;

/** `key`: the field with the id. The parameter for several ids is its plural. */
export const list = <A extends keyof CloudActions, T = Item<A>>(
  action: A,
  key: keyof NoInfer<T> & string,
  more: Partial<List<NoInfer<T>>> = {},
): List<T> => ({
  action,
  filtered: (Filters) => ({ Filters }),
  isByTag: true,
  named: (ids) => ({ [`${key}s`]: ids }),
  pageSize: 1000,
  next: ['NextToken', 'NextToken'],
  items: (page) => (page as Record<string, T[]>)[action.slice('Describe'.length)]!,
  key,
  id: (one) => one[key] as string,
  ...more,
});

/** Of the services for load balancing. */
export const balancingList = {
  filtered: () => ({}),
  isByTag: false,
  pageSize: undefined,
  next: ['Marker', 'NextMarker'],
} as const;
