import { createHash } from 'node:crypto';
import type { WantedRole } from '../roles.ts';
import type { AWSManagedControlPlane } from './schema.ts';

/** The longest name that EKS takes. */
const longest = 100;

/** NAMESPACE_NAME, or what stands for a longer one. */
export const defaultClusterName = (namespace: string, name: string): string => {
  const readable = `${namespace.replaceAll('.', '_')}_${name.replaceAll('.', '_')}`;
  if (readable.length < longest) return readable;
  return `capa_${createHash('sha256').update(readable).digest('hex').slice(0, 32)}`;
};

export const defaultRole = 'eks-controlplane.cluster-api-provider-aws.sigs.k8s.io';

export const wantedRole: WantedRole = {
  purpose: 'role/control-plane',
  standard: defaultRole,
  service: 'eks.amazonaws.com',
  policies: ['AmazonEKSClusterPolicy'],
};

export const withDefaults = (object: AWSManagedControlPlane): AWSManagedControlPlane => {
  const { metadata, spec = {} } = object;
  return {
    ...object,
    spec: {
      ...spec,
      eksClusterName: spec.eksClusterName || defaultClusterName(metadata.namespace ?? 'default', metadata.name),
      identityRef: spec.identityRef ?? { kind: 'AWSClusterControllerIdentity', name: 'default' },
    },
  };
};
