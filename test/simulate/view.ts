/** A world as the checks of test/system see it. */
import type { Condition } from '../../machinery/api/object.ts';
import type { ListedResource } from '../../simulation/aws/account.ts';
import type { View } from '../system/settled.ts';
import type { World } from './site.ts';

/** Excludes resources that existed before the run, and late ones that stale workers created. */
export const viewOf = (
  { mirror, account }: World,
  provided: Pick<ReadonlySet<string>, 'has'>,
  isStale: (resource: ListedResource) => boolean = () => false,
): View => ({
  all: ((kind: string, namespace?: string) => {
    const all = mirror.all(kind);
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }) as View['all'],
  condition: (kind, name, type, namespace = 'default') =>
    (mirror.get(kind, namespace, name)?.status as { conditions?: Condition[] } | undefined)?.conditions?.find(
      (one) => one.type === type,
    ),
  live: (type) =>
    account.list().filter((one) => !provided.has(one.id) && (type === undefined || one.type === type) && !isStale(one)),
});
