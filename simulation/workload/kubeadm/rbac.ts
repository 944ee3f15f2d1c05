/** Roles and bindings of a new cluster for administrators, joining machines and the add-ons. */
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;
export const bootstrappers = 'system:bootstrappers:kubeadm:default-node-token';

type Rule = {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
};
type Subject = { kind: 'Group' | 'User' | 'ServiceAccount'; name: string; namespace?: string };

const role = (name: string, rules: Rule[], namespace?: string): KubeObject => ({
  apiVersion,
  kind: namespace ? 'Role' : 'ClusterRole',
  metadata: { name, ...(namespace && { namespace }) },
  rules: rules as JsonValue,
});

const bind = (name: string, to: string, subjects: Subject[], namespace?: string): KubeObject => ({
  apiVersion,
  kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
  metadata: { name, ...(namespace && { namespace }) },
  roleRef: { apiGroup: group, kind: namespace ? 'Role' : 'ClusterRole', name: to },
  subjects: subjects.map((subject) => (subject.kind === 'ServiceAccount' ? subject : { apiGroup: group, ...subject })),
});

const groups = (...names: string[]): Subject[] => names.map((name) => ({ kind: 'Group', name }));
const read = ['get', 'list', 'watch'];

export const accessRules = (): KubeObject[] => [
  role('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  bind('cluster-admin', 'cluster-admin', groups('system:masters')),
  bind('kubeadm:cluster-admins', 'cluster-admin', groups('kubeadm:cluster-admins')),
  role('system:node-bootstrapper', [
    { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', ...read] },
  ]),
  bind('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', groups(bootstrappers)),
  role('kubeadm:get-nodes', [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }]),
  bind('kubeadm:get-nodes', 'kubeadm:get-nodes', groups(bootstrappers)),
  role('system:public-info-viewer', [
    { nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] },
  ]),
  bind(
    'system:public-info-viewer',
    'system:public-info-viewer',
    groups('system:authenticated', 'system:unauthenticated'),
  ),
  role('system:discovery', [
    {
      nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', '/version', '/version/'],
      verbs: ['get'],
    },
  ]),
  bind('system:discovery', 'system:discovery', groups('system:authenticated')),
  role('system:basic-user', [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ]),
  bind('system:basic-user', 'system:basic-user', groups('system:authenticated')),
  role(
    'kubeadm:nodes-kubeadm-config',
    [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['kubeadm-config'], verbs: ['get'] }],
    'kube-system',
  ),
  bind(
    'kubeadm:nodes-kubeadm-config',
    'kubeadm:nodes-kubeadm-config',
    groups(bootstrappers, 'system:nodes'),
    'kube-system',
  ),
  role(
    'kubeadm:kubelet-config',
    [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['kubelet-config'], verbs: ['get'] }],
    'kube-system',
  ),
  bind('kubeadm:kubelet-config', 'kubeadm:kubelet-config', groups(bootstrappers, 'system:nodes'), 'kube-system'),
  role(
    'kube-proxy',
    [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['kube-proxy'], verbs: ['get'] }],
    'kube-system',
  ),
  bind('kube-proxy', 'kube-proxy', groups(bootstrappers), 'kube-system'),
  role(
    'kubeadm:bootstrap-signer-clusterinfo',
    [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }],
    'kube-public',
  ),
  bind(
    'kubeadm:bootstrap-signer-clusterinfo',
    'kubeadm:bootstrap-signer-clusterinfo',
    [{ kind: 'User', name: 'system:anonymous' }],
    'kube-public',
  ),
  role(
    'extension-apiserver-authentication-reader',
    [
      {
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['extension-apiserver-authentication'],
        verbs: read,
      },
    ],
    'kube-system',
  ),
  role('system:coredns', [
    { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  ]),
  bind('system:coredns', 'system:coredns', [{ kind: 'ServiceAccount', name: 'coredns', namespace: 'kube-system' }]),
  role('system:node-proxier', [
    { apiGroups: [''], resources: ['endpoints', 'services', 'nodes'], verbs: ['get', 'list', 'watch'] },
  ]),
  bind('kubeadm:node-proxier', 'system:node-proxier', [
    { kind: 'ServiceAccount', name: 'kube-proxy', namespace: 'kube-system' },
  ]),
];
