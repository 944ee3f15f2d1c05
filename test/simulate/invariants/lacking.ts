/** A set that lacks something of what it is to put into clusters says so, whether there is a cluster for it or not. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Invariant, Setting } from './invariant.ts';
import { soon } from './soon.ts';
import { conditionIn } from './whose.ts';

type ResourceSet = KubeObject<{ resources?: { kind: string; name: string }[] }>;

export const lacking = (setting: Setting): Invariant => {
  const { mirror } = setting.world;
  return soon('lacking', setting, function* () {
    for (const set of mirror.all<ResourceSet>('ClusterResourceSet')) {
      const { name, namespace = '', deletionTimestamp, annotations = {} } = set.metadata;
      if (deletionTimestamp || 'cluster.x-k8s.io/paused' in annotations) continue;
      const lost = set.spec?.resources?.find((one) => !mirror.get(one.kind, namespace, one.name));
      if (!lost) continue;
      const is = conditionIn(set, 'ResourcesApplied')?.status;
      yield {
        what: `whether ${name}, which lacks ${lost.kind} ${lost.name}, has put all into clusters`,
        is,
        should: 'False',
      };
    }
  });
};
