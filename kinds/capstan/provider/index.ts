/**
 * The inventory from which clusterctl learns which providers, and which versions of them, a control
 * plane serves.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { string } from '../../../machinery/api/schema.ts';
import { age, column, defineKind } from '../../define.ts';
import { provider as facts } from './kind.ts';

export type Provider = KubeObject & { providerName?: string; type?: string; version?: string };

/**
 * The providers whose resources are served. `clusterctl move` refuses an older version than the
 * source's. All patch releases of a version have the same resources, so the patch number is high.
 */
const served = [
  ['cluster-api', 'CoreProvider', 'cluster-api', 'v1.14.99'],
  ['bootstrap-kubeadm', 'BootstrapProvider', 'kubeadm', 'v1.14.99'],
  ['control-plane-kubeadm', 'ControlPlaneProvider', 'kubeadm', 'v1.14.99'],
  ['infrastructure-aws', 'InfrastructureProvider', 'aws', 'v2.11.99'],
  ['ipam-in-cluster', 'IPAMProvider', 'in-cluster', 'v1.1.99'],
] as const;

/** The objects as the server publishes them. */
export const theProviders: Provider[] = served.map(([name, type, providerName, version]) => ({
  apiVersion: `${facts.group}/v1alpha3`,
  kind: 'Provider',
  metadata: { name, namespace: 'kube-system' },
  providerName,
  type,
  version,
}));

export const provider = defineKind({
  ...facts,
  shortNames: [],
  verbs: ['get', 'list', 'watch'],
  versions: [
    {
      name: 'v1alpha3',
      served: true,
      storage: true,
      description: 'A part of Cluster API that this control plane does the work of.',
      columns: [
        age,
        column('Type', 'string', '.type', 'Which part.'),
        column('Provider', 'string', '.providerName', 'Whose.'),
        column('Version', 'string', '.version', 'The version that clients may rely on.'),
      ],
      fields: {
        providerName: string('Whose resources it serves.').json,
        type: string('Which part of Cluster API it is.').json,
        version: string('The version that clients may rely on.').json,
        watchedNamespace: string('The namespace it looks at; empty for all of them.').json,
      },
    },
  ],
});
