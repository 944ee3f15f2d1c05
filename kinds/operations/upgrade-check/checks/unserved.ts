/** Whether an old API server can read everything that is stored. Pure. */
import type { UnservedKind } from '../../../ports/workload.ts';
import { type Finding, isUnreadable, type Unreadable } from './facts.ts';

export const objectsUnknown = 'RollbackObjectsUnknown';

/** `controlPlane`: its kind and name. */
export const checkUnserved = (controlPlane: string, unserved: readonly UnservedKind[] | Unreadable): Finding[] => {
  if (isUnreadable(unserved))
    return [
      {
        code: objectsUnknown,
        level: 'Refuse',
        isUnknown: true,
        object: controlPlane,
        message: `It is not known what only the new API server serves: ${unserved.unreadable}`,
        remedy: 'Let both API servers answer; or go forward',
      },
    ];
  return unserved.map(({ apiVersion, kind, count, example }) => ({
    code: 'RollbackLosesObjects',
    level: 'Refuse',
    object: `${kind} ${example}`,
    message: `${count === 1 ? 'It is' : `It and ${count - 1} more of its kind are`} of ${apiVersion}, which the old API server does not serve`,
    remedy: `Delete ${count === 1 ? 'it' : 'them'}`,
  }));
};
