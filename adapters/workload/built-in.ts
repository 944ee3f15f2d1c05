/** Kinds that every Kubernetes serves at a fixed path, so that no discovery is needed. */
export interface ApiResource {
  name: string;
  kind: string;
  namespaced: boolean;
}

const namespaced = (name: string, kind: string): ApiResource => ({ name, kind, namespaced: true });
const clusterWide = (name: string, kind: string): ApiResource => ({ name, kind, namespaced: false });

/** By apiVersion. */
export const builtIn: Record<string, readonly ApiResource[] | undefined> = {
  v1: [
    clusterWide('namespaces', 'Namespace'),
    clusterWide('nodes', 'Node'),
    clusterWide('persistentvolumes', 'PersistentVolume'),
    namespaced('persistentvolumeclaims', 'PersistentVolumeClaim'),
    namespaced('configmaps', 'ConfigMap'),
    namespaced('pods', 'Pod'),
    namespaced('secrets', 'Secret'),
    namespaced('serviceaccounts', 'ServiceAccount'),
    namespaced('services', 'Service'),
  ],
  'apps/v1': [namespaced('daemonsets', 'DaemonSet'), namespaced('deployments', 'Deployment')],
  'storage.k8s.io/v1': [clusterWide('csinodes', 'CSINode'), clusterWide('storageclasses', 'StorageClass')],
  'rbac.authorization.k8s.io/v1': [
    clusterWide('clusterroles', 'ClusterRole'),
    clusterWide('clusterrolebindings', 'ClusterRoleBinding'),
    namespaced('roles', 'Role'),
    namespaced('rolebindings', 'RoleBinding'),
  ],
};
