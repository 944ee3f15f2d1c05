/** What stands behind Machines: their infrastructure objects and bootstrap configs. Pure. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { Machine } from '../machine/schema.ts';
import { isDeleting } from './machines.ts';

/**
 * The parts that were listed by labels, and those that Machines reference and the list lacks: an adopted Machine brings parts
 * without the labels of its new owner, and a client may edit the labels of any part.
 */
export const withReferenced = <T extends KubeObject>(
  read: Reader,
  listed: Read<T[]>,
  machines: readonly Machine[],
  referenceIn: (machine: Machine) => { kind: string; name: string } | undefined,
): Read<T[]> => {
  const known = found(listed);
  if (!known) return listed;
  const names = new Set(known.map(({ metadata }) => metadata.name));
  const others = machines
    .filter((machine) => !isDeleting(machine))
    .flatMap((machine) => {
      const reference = referenceIn(machine);
      if (!reference || names.has(reference.name)) return [];
      const { namespace = '' } = machine.metadata;
      return found(read.get<T>(reference.kind, { namespace, name: reference.name })) ?? [];
    });
  return others.length === 0 ? listed : { state: 'found', value: [...known, ...others] };
};
