/** How controllers read a Node of a workload cluster. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { askWorkload } from '../../ports/index.ts';
import type { Access } from '../../ports/workload.ts';
import { type Secret, secretName, secretValue } from '../contract/cluster-secrets.ts';

export const noAccess: Read<never> = { state: 'unreadable', reason: 'the kubeconfig of the cluster is not there' };

/** Undefined until the cluster has a kubeconfig. */
export const accessTo = (read: Reader, namespace: string, cluster: string): Access | undefined => {
  const kubeconfig = secretValue(
    found(read.get<Secret>('Secret', { namespace, name: secretName(cluster, 'kubeconfig') })),
    'value',
  );
  return kubeconfig === undefined ? undefined : { kubeconfig };
};

/** The live Node. */
export const nodeNow = (read: Reader, access: Access | undefined, name: string): Read<KubeObject> =>
  access ? askWorkload(read, 'get', { ...access, apiVersion: 'v1', kind: 'Node', name }) : noAccess;
