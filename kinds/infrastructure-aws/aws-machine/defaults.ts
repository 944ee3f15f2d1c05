import { awsMachineFinalizer } from './controller-names.ts';
import type { AWSMachine, AWSMachineSpec } from './schema.ts';

/** Metadata requests require a session token (IMDSv2) unless the user asks otherwise. */
export const metadataDefaults: NonNullable<AWSMachineSpec['instanceMetadataOptions']> = {
  httpEndpoint: 'enabled',
  httpProtocolIpv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
  instanceMetadataTags: 'disabled',
};

type Ignition = NonNullable<AWSMachineSpec['ignition']>;
/**
 * Ignition version 2.3 is the default only with an object store: with UnencryptedUserData the user
 * data itself names its version.
 */
export const withIgnitionDefaults = (ignition: Ignition): Ignition => {
  const { storageType = 'ClusterObjectStore', version } = ignition;
  const isOwn = storageType === 'UnencryptedUserData';
  return { ...ignition, storageType, ...(!isOwn && { version: version ?? '2.3' }) };
};

export const withDefaults = (machine: AWSMachine): AWSMachine => {
  const { spec } = machine;
  if (!spec) return machine;
  const { cloudInit, ignition } = spec;
  const secret = !ignition && !cloudInit?.insecureSkipSecretsManager && !cloudInit?.secureSecretsBackend;
  return {
    ...machine,
    spec: {
      ...spec,
      ...(secret && { cloudInit: { ...cloudInit, secureSecretsBackend: 'secrets-manager' as const } }),
      ...(ignition && { ignition: withIgnitionDefaults(ignition) }),
      instanceMetadataOptions: { ...metadataDefaults, ...spec.instanceMetadataOptions },
    },
  };
};

/**
 * An AWSMachine cloned from a template carries the finalizer from the start, which saves a write.
 */
export const withFinalizer = (machine: AWSMachine): AWSMachine => {
  const { finalizers = [] } = machine.metadata;
  return finalizers.includes(awsMachineFinalizer)
    ? machine
    : { ...machine, metadata: { ...machine.metadata, finalizers: [...finalizers, awsMachineFinalizer] } };
};
