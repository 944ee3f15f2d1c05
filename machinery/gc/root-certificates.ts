/** The ConfigMap by which clients in a namespace verify the API server. */
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { Kinds } from '../controller/kinds.ts';
import type { ObjectWriter } from '../controller/writer.ts';
import type { LogEntry, Store } from '../store/store.ts';

export const configMapType = 'configmaps';
export const rootCertificatesName = 'kube-root-ca.crt';

/** Kubernetes' namespace controller sets it, too: it tells users who list ConfigMaps what this one is for. */
const annotations = {
  'kubernetes.io/description': 'Authorities of the certificate of this API server, in each namespace.',
};

/** Whether a client has changed the ConfigMap; a deletion is noticed as that of any object. */
export const isForeignChange = ({ type, event, name, writer }: LogEntry, controller: string): boolean =>
  type === configMapType && name === rootCertificatesName && event === 'MODIFIED' && writer !== controller;

export interface RootCertificatesOptions {
  store: Pick<Store, 'get'>;
  kinds: Kinds;
  writer: ObjectWriter;
  /** PEM. */
  certificates: string;
}

/** Creates the ConfigMap, and puts back what a client has changed of it. */
export const ensureRootCertificates = async (
  { store, kinds, writer, certificates }: RootCertificatesOptions,
  namespace: string,
  by: { writer: string },
): Promise<void> => {
  const kind = kinds.find('', 'ConfigMap');
  if (!kind) return;
  const key = { namespace, name: rootCertificatesName };
  const data = { 'ca.crt': certificates };
  const stored = await store.get(configMapType, key);
  if (!stored) {
    await writer.create(kind, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, annotations }, data }, by);
    return;
  }
  if (!equal((stored as KubeObject & { data?: unknown }).data, data))
    await writer.update(kind, key, (one) => ({ ...one, data }), by);
};
