/** The infrastructure objects and bootstrap configs of Machines. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Machine } from '../machine/schema.ts';
import { isDeleting } from './machines.ts';

/**
 * The parts listed by labels, plus those that only a Machine's reference finds: the parts of an
 * adopted Machine lack the labels of its new owner, and a client may edit the labels of any part.
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
