import type { KubeObject } from '../../../machinery/api/object.ts';

/** The id of the instance that an AWSMachine names; undefined until it has one. */
export const instanceIdOf = (object: Pick<KubeObject, 'spec'>): string | undefined => {
  const { providerID, instanceID } = (object.spec ?? {}) as { providerID?: string; instanceID?: string };
  return providerID?.split('/').at(-1) || instanceID || undefined;
};
