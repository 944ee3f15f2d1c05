/** What keeps the stored policy as it must be: its defaults, and aggregated ClusterRoles. */
import { ApiError } from '../machinery/api/errors.ts';
import { equal } from '../machinery/api/merge.ts';
import type { PolicyObjects } from '../machinery/api/rbac.ts';
import { aggregatedRules } from '../machinery/rbac/aggregate.ts';
import { type Repair, repairsOf } from '../machinery/rbac/bootstrap.ts';
import type { StoredRights } from '../machinery/rbac/rights.ts';
import type { Foundation } from './foundation.ts';

type Upkeep = Pick<Foundation, 'kinds' | 'writer'>;

/** Rounds of aggregation through one another. */
const mostRounds = 10;

/** Gives aggregated ClusterRoles the rules of those that they select. */
export const aggregate = async ({ kinds, writer }: Upkeep, rights: StoredRights): Promise<void> => {
  for (let round = 0; round < mostRounds; round++) {
    rights.changed();
    const { clusterRoles } = await rights.objects();
    const stale = clusterRoles.flatMap((role) => {
      const rules = aggregatedRules(role, clusterRoles);
      return rules && !equal(rules, role.rules ?? []) ? [{ name: role.metadata.name, rules }] : [];
    });
    if (stale.length === 0) return;
    for (const { name, rules } of stale)
      await writer.update(kinds.named('ClusterRole'), { namespace: '', name }, (role) => ({ ...role, rules }), {
        writer: 'clusterrole-aggregation-controller',
        retry: true,
      });
  }
};

/** Processes that start together all repair; the first one wins. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && ['AlreadyExists', 'Conflict', 'NotFound'].includes(error.reason);

const write = async ({ kinds, writer }: Upkeep, { object }: Repair): Promise<void> => {
  const kind = kinds.named(object.kind);
  const { name, resourceVersion } = object.metadata;
  const by = { writer: 'policy-defaults' };
  try {
    if (resourceVersion === undefined) await writer.create(kind, object, by);
    else await writer.update(kind, { namespace: '', name }, () => object, by);
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
};

/** Writes what is missing of the default policy, one object after the other: all of them move one mark. */
export const ensureDefaults = async (upkeep: Upkeep, rights: StoredRights, defaults: PolicyObjects): Promise<void> => {
  rights.changed();
  const repairs = repairsOf(await rights.objects(), defaults);
  for (const repair of repairs) await write(upkeep, repair);
  // Also finishes the aggregation of a process that ended too early.
  await aggregate(upkeep, rights);
};
