import { createHash } from 'node:crypto';
import type { AWSManagedMachinePool } from './schema.ts';

/** The longest name of a node group that EKS takes. */
const longest = 63;

/** NAMESPACE_NAME, or what stands for a longer one. */
export const defaultNodegroupName = (namespace: string, name: string): string => {
  const readable = `${namespace.replaceAll('.', '_')}_${name.replaceAll('.', '_')}`;
  if (readable.length <= longest) return readable;
  return `capa_${createHash('sha256').update(readable).digest('hex').slice(0, 32)}`;
};

export const defaultRole = 'eks-nodegroup.cluster-api-provider-aws.sigs.k8s.io';

export const withDefaults = (object: AWSManagedMachinePool): AWSManagedMachinePool => {
  const { metadata, spec = {} } = object;
  return {
    ...object,
    spec: {
      ...spec,
      eksNodegroupName: spec.eksNodegroupName || defaultNodegroupName(metadata.namespace ?? 'default', metadata.name),
      updateConfig: spec.updateConfig ?? { maxUnavailable: 1 },
    },
  };
};
