/** A namespace's limit of Machines. Pure. */
import type { KubeObject } from '../../machinery/api/object.ts';

/** Annotation of a Namespace. */
export const maxMachines = 'capstan.dev/max-machines';

/** Undefined without the annotation, or if it is not a number, which admission rejects. */
export const limitOf = (namespace: KubeObject | undefined): number | undefined => {
  const text = namespace?.metadata.annotations?.[maxMachines];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};
