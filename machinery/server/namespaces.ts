/** The namespaces that every installation has, and the subresource by which one is let go. */
import { finalizers, namespaceLabel, timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import { fromStored } from './convert.ts';
import { refuseProtectedContent } from './protected.ts';
import type { Extension } from './registry.ts';

const initial = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates the namespaces that are always there; those that exist stay as they are. */
export const ensureNamespaces = async (store: Store, clock: Clock, random: Random, names = initial): Promise<void> => {
  for (const name of names) {
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        uid: random.uuid(),
        creationTimestamp: timestamp(clock.now()),
        labels: { [namespaceLabel]: name },
      },
      spec: { finalizers: [finalizers.namespace] },
      status: { phase: 'Active' },
    };
    // Processes that begin at the same time all do this: who comes second finds it done.
    await store.commit(
      'namespaces',
      { namespace: '', name },
      (current) => (current ? { do: 'nothing', object: current } : { do: 'put', object }),
      { retry: true },
    );
  }
};

/** What is protected keeps its namespace. PUT /finalize replaces the finalizers of a Namespace's spec; when none is left on a deleted one, it goes. */
export const namespaceExtension: Extension = {
  admitDelete: refuseProtectedContent,
  subresources: {
    finalize: {
      kind: 'Namespace',
      verbs: ['update'],
      handle: async (call, _key, body) => {
        const { updateWith } = await import('./update.ts');
        return fromStored(call.resource, call.version, await updateWith(call, body));
      },
    },
  },
};
