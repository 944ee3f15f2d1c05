import { defaultIdentity } from '../kinds/aws-cluster-controller-identity/index.ts';
import { ApiError } from '../machinery/api/errors.ts';
import type { Kinds, ObjectWriter } from '../machinery/controller/index.ts';

/** The identity that every AWSCluster uses unless it says otherwise; one that exists stays as somebody made it. */
export const createDefaultIdentity = async ({
  kinds,
  writer,
}: {
  kinds: Kinds;
  writer: ObjectWriter;
}): Promise<void> => {
  try {
    await writer.create(kinds.named(defaultIdentity.kind), defaultIdentity, { writer: 'server' });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
};
