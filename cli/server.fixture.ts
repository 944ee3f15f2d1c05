/** An in-process API server with all kinds and no controllers, and helpers to write what controllers would. */
import { systemClock } from '../adapters/memory/clock.ts';
import { memoryKeys } from '../adapters/memory/keys.ts';
import { memoryNotifier } from '../adapters/memory/notifier.ts';
import { systemRandom } from '../adapters/memory/random.ts';
import { memoryTable } from '../adapters/memory/table.ts';
import { operationAnnotations } from '../kinds/core/contract/target.ts';
import { kinds as all } from '../kinds/index.ts';
import { operationExtension } from '../kinds/operation-extension.ts';
import type { OperationSpec, OperationStatus } from '../kinds/operations/cluster-operation/index.ts';
import { protectionExtension } from '../kinds/protection-extension.ts';
import { resourceOf } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { createWriter, kindsOf } from '../machinery/controller/index.ts';
import {
  createRegistry,
  createServer,
  ensureNamespaces,
  joinExtensions,
  namespaceExtension,
  type Rights,
} from '../machinery/server/index.ts';
import { openStore } from '../machinery/store/index.ts';
import { version } from '../runtime/version.ts';
import { clientOf } from './client.fixture.ts';

const reference = (kind: string) => ({ apiGroup: 'x.cluster.x-k8s.io', kind, name: 'c' });

/** A Cluster `c` in the namespace `default`. */
export const aCluster = (
  annotations: Record<string, string> = {},
  of: object = {},
  finalizers?: string[],
): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'default', annotations, ...(finalizers && { finalizers }) },
  spec: { controlPlaneRef: reference('Plane'), infrastructureRef: reference('Infra'), ...of },
});

/** Its first operation. */
export const anOperation = (status: OperationStatus = {}, spec: Partial<OperationSpec> = {}): KubeObject => {
  const { type = 'create', attempt = 1 } = spec;
  return {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `c-${type}-${attempt}`, namespace: 'default' },
    spec: { clusterName: 'c', type, fingerprint: '0123456789abcdef', attempt, ...spec },
    status,
  };
};
export const named = (operation: string, more: Record<string, string> = {}) => ({
  [operationAnnotations.operation]: operation,
  ...more,
});

export const openServer = async ({ workflows = true, rights }: { workflows?: boolean; rights?: Rights } = {}) => {
  const clock = systemClock;
  const random = systemRandom;
  const store = openStore({
    table: memoryTable({ clock }),
    clock,
    random,
    keys: memoryKeys(random),
    kinds: all,
    notifier: memoryNotifier(clock),
  });
  await ensureNamespaces(store, clock, random);
  const kinds = kindsOf(all);
  const writer = createWriter({ store, kinds, clock, random });
  const server = createServer({
    kinds: createRegistry(
      all,
      joinExtensions(
        { namespaces: namespaceExtension },
        protectionExtension(store, all),
        operationExtension(store, all, workflows),
      ),
    ),
    store,
    clock,
    random,
    authenticate: () => ({ username: 'somebody', groups: [] }),
    ...(rights && { rights }),
    version,
  });
  const by = { writer: 'tests' };
  return {
    client: clientOf((request) => server.fetch(request)),
    /** Writes with a controller's permissions, status and reserved annotations included. */
    put: async (object: KubeObject) => {
      const kind = kinds.named(object.kind);
      const key = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
      await writer.create(kind, object, by);
      await writer.updateStatus(kind, key, (current) => ({ ...current, status: object.status ?? {} }), by);
    },
    remove: (kind: string, name: string) => writer.remove(kinds.named(kind), { namespace: 'default', name }, by),
    get: async (kind: string, name: string) =>
      (await store.get(resourceOf(kinds.named(kind)), { namespace: 'default', name }))!,
  };
};
