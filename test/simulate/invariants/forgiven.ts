/** What succeeds is not held against anybody: who fails after that is tried again as soon as one who never failed. */
import { itemKeyOf, workItemOf } from '../../../machinery/controller/work-item.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

export const forgiven = ({ world: { looker, mirror, work } }: Setting): Invariant => ({
  atEnd: async () => {
    for (const { name: controller, kind, type } of looker.controllers)
      for (const { metadata } of mirror.all(kind)) {
        const { namespace = '', name } = metadata;
        const key = itemKeyOf({ controller, type, namespace, name });
        const item = workItemOf(await work.get(key, { consistent: true }));
        if (item && item.attempts > 0 && !item.lastFailure)
          throw new Violation(
            'forgiven',
            `${controller} of ${namespace}/${name} counts ${item.attempts} failures, and has none`,
          );
      }
  },
});
