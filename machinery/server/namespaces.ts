/** The initial namespaces of an installation, and the finalize subresource. */
import { finalizers, namespaceLabel, timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import { shownFromStored } from './convert.ts';
import { refuseProtectedContent } from './protected.ts';
import type { Extension } from './registry.ts';

const initial = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates the initial namespaces; existing ones stay unchanged. */
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
    // Processes that start together all do this; the second one finds them created.
    await store.commit(
      'namespaces',
      { namespace: '', name },
      (current) => (current ? { do: 'nothing', object: current } : { do: 'put', object }),
      { retry: true },
    );
  }
};

/**
 * Protected content keeps its namespace. PUT /finalize replaces the finalizers in a Namespace's
 * spec; a deleted one without finalizers is removed.
 */
export const namespaceExtension: Extension = {
  admitDelete: refuseProtectedContent,
  subresources: {
    finalize: {
      kind: 'Namespace',
      verbs: ['update'],
      handle: async (call, _key, body) => {
        const { updateWith } = await import('./update.ts');
        return shownFromStored(call.resource.kind, call.version, await updateWith(call, body));
      },
    },
  },
};
