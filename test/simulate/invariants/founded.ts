/** Nobody begins with machines for which there is no template: what works would be taken away for what cannot come. */
import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { takenOver } from './patience.ts';

export const founded = ({ world, has }: Setting): Invariant => {
  const { clock, mirror } = world;
  /** When it went. */
  const gone = new Map<string, number>();
  return {
    onCommit: ({ event, object, before, namespace, name, writer }) => {
      const kind = (object ?? before)?.kind ?? '';
      if (event === 'DELETED' && kind.endsWith('Template')) gone.set(`${kind} ${namespace}/${name}`, clock.now());
      if (event !== 'ADDED' || kind !== 'MachineSet' || writer !== 'machine-deployment') return;
      const { bootstrap, infrastructureRef } = (object as MachineSet).spec?.template.spec ?? {};
      for (const reference of [bootstrap?.configRef, infrastructureRef]) {
        if (!reference || mirror.get(reference.kind, namespace, reference.name)) continue;
        const since = gone.get(`${reference.kind} ${namespace}/${reference.name}`) ?? Number.NEGATIVE_INFINITY;
        if (clock.now() - since > takenOver(has))
          throw new Violation('founded', `${name} is made, and there is no ${reference.kind} ${reference.name}`);
      }
    },
  };
};
