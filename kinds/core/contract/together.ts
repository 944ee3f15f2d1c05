/**
 * Machines that a MachineSet created in one pass. It notes this on their infrastructure machines, so
 * that the provider may request their hosts together. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** JSON of a Together. Reserved for controllers. */
export const togetherAnnotation = 'capstan.dev/created-together';

export interface Together {
  /** Random, the same for all machines of the group. */
  id: string;
  /** The name of the group's first machine. */
  first: string;
  /** The machine's position in the group, from 0. */
  index: number;
  count: number;
}

/** EC2 admits five launches at once without delay. */
const fewest = 6;
const most = 50;

/** The annotations of each name's infrastructure machine, when enough are created. */
export const groupsOf = (names: readonly string[], newId: () => string): Map<string, Record<string, string>> => {
  const notes = new Map<string, Record<string, string>>();
  if (names.length < fewest) return notes;
  for (let from = 0; from < names.length; from += most) {
    const group = names.slice(from, from + most);
    if (group.length === 1) break;
    const id = newId();
    for (const [index, name] of group.entries()) {
      const together: Together = { id, first: group[0]!, index, count: group.length };
      notes.set(name, { [togetherAnnotation]: JSON.stringify(together) });
    }
  }
  return notes;
};

/** Undefined without the annotation, and when it is none. */
export const togetherOf = ({ metadata }: KubeObject): Together | undefined => {
  try {
    const { id, first, index, count } = JSON.parse(metadata.annotations?.[togetherAnnotation] ?? '{}') as Together;
    const isOne = typeof id === 'string' && id !== '' && typeof first === 'string' && Number.isInteger(index);
    return isOne && Number.isInteger(count) && count > 1 && count <= most && index >= 0 && index < count
      ? { id, first, index, count }
      : undefined;
  } catch {
    return undefined;
  }
};
