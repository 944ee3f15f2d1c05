/** Plans of upgrades, which a process asks for once in ten minutes, as Cluster API's manager does. */
import type { ExtensionsReads } from '../../kinds/ports/extensions.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { type LifecycleParts, shown } from './lifecycle.ts';
import { callNamed } from './named.ts';

/** Milliseconds. */
const keptFor = 10 * 60_000;
const mostKept = 1000;

export const createUpgradePlans = (parts: LifecycleParts) => {
  const kept = new Map<string, { answer: JsonObject; until: number }>();
  return async ({ handler, cluster, fields }: ExtensionsReads['PlanUpgrade'][0]): Promise<JsonObject> => {
    const { namespace = '', uid } = cluster.metadata;
    const key = JSON.stringify([handler, namespace, cluster.metadata.name, uid, fields]);
    const now = parts.clock.now();
    const known = kept.get(key);
    if (known && known.until > now) return known.answer;
    const request = { cluster: await shown(parts, cluster), ...fields };
    const answer = await callNamed(parts, { namespace, handler, hook: 'GenerateUpgradePlan' }, request);
    kept.delete(key);
    kept.set(key, { answer, until: now + keptFor });
    if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
    return answer;
  };
};
