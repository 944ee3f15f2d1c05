/** The limit of Machines that a namespace sets. Pure. */
import type { KubeObject } from '../../machinery/api/object.ts';

/** Annotation of a Namespace. */
export const maxMachines = 'capstan.dev/max-machines';

/** Undefined where there is none, and where the annotation is no number, which admission refuses. */
export const limitOf = (namespace: KubeObject | undefined): number | undefined => {
  const text = namespace?.metadata.annotations?.[maxMachines];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};
