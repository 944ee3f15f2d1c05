import type { KubeObject } from '../../../machinery/api/object.ts';

/** The instance id in an AWSMachine's spec; undefined before it has one. */
export const instanceIdOf = (object: Pick<KubeObject, 'spec'>): string | undefined => {
  const { providerID, instanceID } = (object.spec ?? {}) as { providerID?: string; instanceID?: string };
  return providerID?.split('/').at(-1) || instanceID || undefined;
};
