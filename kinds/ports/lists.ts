/** The lists by name, as in an installation's survey. */
import type { List } from './cloud/list.ts';
import { lists } from './cloud/lists.ts';

export type { List } from './cloud/list.ts';
export { lists };

/** Whether AWS lists them by tag. */
export const isTagged = (name: string): boolean => byName[name]?.isByTag ?? true;
const byName: Readonly<Record<string, List<unknown>>> = lists;

export type ListName = keyof typeof lists;
export type Listed = { [K in ListName]: (typeof lists)[K] extends List<infer T> ? T[] : never };

export const emptyLists = (): Listed => {
  const empty = {} as Listed;
  for (const name of Object.keys(lists) as ListName[]) empty[name] = [];
  return empty;
};
