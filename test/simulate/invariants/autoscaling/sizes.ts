import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { Rule } from '../rule.ts';
import { scalingOf } from './pools.ts';

export const sizes: Rule = (_, broken) => ({
  onCommit: (commit) => {
    const { object, before, writer } = commit;
    const scaling = scalingOf(commit);
    if (scaling) {
      const { pool, min, max, from, to } = scaling;
      const what = `${pool.metadata.name} was scaled from ${from} to ${to}`;
      if (to > from && to > max) throw broken(`${what}, above its maximum of ${max}`);
      if (to < from && to < min) throw broken(`${what}, below its minimum of ${min}`);
      return;
    }
    if (writer !== 'autoscaler' || object?.kind !== 'MachineDeployment' || !before) return;
    const [is, was] = [object, before].map((one) => (one as MachineDeployment).spec?.replicas);
    if (is !== was) throw broken(`${object.metadata.name} was scaled from ${was} to ${is}, although it did not opt in`);
  },
});
