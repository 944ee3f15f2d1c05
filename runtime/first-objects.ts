/** The objects that every installation has from the start. */
import type { InstallationSpec } from '../kinds/capstan/installation/index.ts';
import { ApiError } from '../machinery/api/errors.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { ensureNamespaces } from '../machinery/server/index.ts';
import type { Foundation } from './foundation.ts';

const ensure = async ({ kinds, writer }: Foundation, object: KubeObject): Promise<void> => {
  try {
    await writer.create(kinds.named(object.kind), object, { writer: 'server' });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
};

/** Existing objects stay unchanged. `spec`: of a new Installation. */
export const ensureFirstObjects = async (foundation: Foundation, spec: InstallationSpec = {}): Promise<void> => {
  const { store, clock, random } = foundation;
  await ensureNamespaces(store, clock, random);
  const [{ defaultIdentity }, { theInstallation }] = await Promise.all([
    import('../kinds/infrastructure-aws/aws-cluster-controller-identity/index.ts'),
    import('../kinds/capstan/installation/index.ts'),
  ]);
  for (const object of [defaultIdentity, { ...theInstallation, spec }]) await ensure(foundation, object);
};
