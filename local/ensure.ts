import { ApiError } from '../machinery/api/errors.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { Kinds, ObjectWriter } from '../machinery/controller/index.ts';

/** Creates the initial objects of a control plane; existing ones stay unchanged. */
export const ensureObjects = async (
  { kinds, writer }: { kinds: Kinds; writer: ObjectWriter },
  objects: readonly KubeObject[],
): Promise<void> => {
  for (const object of objects) {
    try {
      await writer.create(kinds.named(object.kind), object, { writer: 'server' });
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
    }
  }
};
