/** The Secret by which Argo CD or Flux knows a cluster. Pure. */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { connectionOf } from '../../ports/kubeconfig.ts';
import type { GitOpsTarget, GitOpsTargetSpec } from './schema.ts';

export const managedBy = 'app.kubernetes.io/managed-by';
export const manager = 'capstan';
const clusterUid = 'capstan.dev/cluster-uid';
/** Namespace and name of the GitOpsTarget that keeps the Secret. */
const keptBy = 'capstan.dev/gitops-target';
const defaultNamespaces = { ArgoCD: 'argocd', Flux: 'flux-system' } as const;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const namespaceIn = ({ tool, namespace }: GitOpsTargetSpec): string => namespace ?? defaultNamespaces[tool];

/** A namespace has no dot, so that no two clusters have the same. */
export const secretNameOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}.${name}`;

/** In the form of `argocd cluster add`. Throws WorkloadError for a kubeconfig without a server. */
const argoData = (name: string, kubeconfig: string, { project }: GitOpsTargetSpec): Record<string, string> => {
  const { server, serverName, caCertificate, skipsVerification, clientCertificate, clientKey, token } =
    connectionOf(kubeconfig);
  const tlsClientConfig = {
    insecure: skipsVerification === true,
    ...(serverName && { serverName }),
    ...(caCertificate && { caData: base64(caCertificate) }),
    ...(clientCertificate && { certData: base64(clientCertificate) }),
    ...(clientKey && { keyData: base64(clientKey) }),
  };
  return {
    name,
    server,
    config: JSON.stringify({ ...(token && { bearerToken: token }), tlsClientConfig }),
    ...(project !== undefined && { project }),
  };
};

/** ApplicationSets select clusters by the labels of their Secrets. */
const labelsOf = ({ metadata }: KubeObject, tool: GitOpsTargetSpec['tool']): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(metadata.labels ?? {}).filter(([name]) => !name.startsWith('argocd.argoproj.io/')),
  ),
  [managedBy]: manager,
  ...(tool === 'ArgoCD' && { 'argocd.argoproj.io/secret-type': 'cluster' }),
});

const identityOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/** `kubeconfig` as text. Throws WorkloadError where it is none. */
export const secretOf = (cluster: KubeObject, kubeconfig: string, target: GitOpsTarget): KubeObject => {
  const spec = target.spec!;
  const name = secretNameOf(cluster);
  const values = spec.tool === 'ArgoCD' ? argoData(name, kubeconfig, spec) : { value: kubeconfig };
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)]));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: namespaceIn(spec),
      labels: labelsOf(cluster, spec.tool),
      annotations: { [clusterUid]: cluster.metadata.uid ?? '', [keptBy]: identityOf(target) },
    },
    type: 'Opaque',
    data,
  } as KubeObject;
};

/** Whether the Secret says that this GitOpsTarget keeps it. */
export const isMarked = ({ metadata }: KubeObject, target: GitOpsTarget): boolean =>
  metadata.labels?.[managedBy] === manager && metadata.annotations?.[keptBy] === identityOf(target);

/** Who else keeps the Secret; one of Capstan without a mark is anybody's. */
export const otherKeeperOf = ({ metadata }: KubeObject, target: GitOpsTarget): string | undefined => {
  if (metadata.labels?.[managedBy] !== manager) return 'another client';
  const keeper = metadata.annotations?.[keptBy] ?? identityOf(target);
  return keeper === identityOf(target) ? undefined : `GitOpsTarget ${keeper}`;
};

const contains = (all: Record<string, unknown> = {}, some: Record<string, unknown> = {}): boolean =>
  Object.entries(some).every(([key, value]) => all[key] === value);

export const isCurrent = (live: KubeObject, wanted: KubeObject): boolean => {
  const [before, data] = [live.data, wanted.data].map((one) => (one ?? {}) as JsonObject);
  return (
    contains(live.metadata.labels, wanted.metadata.labels) &&
    contains(live.metadata.annotations, wanted.metadata.annotations) &&
    Object.keys(before!).length === Object.keys(data!).length &&
    contains(before, data)
  );
};
