/**
 * Small controllers: bootstrap tokens, default objects of namespaces, service addresses, garbage
 * collection.
 */
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { isExpired, signed, type TokenFacts, tokenOf } from '../cluster-info.ts';
import type { PodObject } from '../objects.ts';
import { type ClusterController, hash, type World } from '../world.ts';

const inKubeSystem = ({ metadata }: KubeObject) => metadata.namespace === 'kube-system';

/** Deletes expired tokens and updates the signatures in cluster-info. */
export const bootstrapTokens: ClusterController = (world, plan) => {
  const living: TokenFacts[] = [];
  for (const secret of world.list('secrets').filter(inKubeSystem)) {
    const token = tokenOf(secret);
    if (!token) continue;
    if (isExpired(token, world.now)) plan.remove('secrets', secret);
    else {
      if (token.expires !== undefined) plan.reached(token.expires, world.now);
      if (token.signs) living.push(token);
    }
  }
  const info = world
    .list('configmaps')
    .find(({ metadata }) => metadata.namespace === 'kube-public' && metadata.name === 'cluster-info');
  if (!info) return;
  const data = (info.data ?? {}) as Record<string, string>;
  const wanted = signed(data, living);
  if (!equal(wanted, data)) plan.update('configmaps', { ...info, data: wanted });
};

/** Creates each namespace's default service account and the cluster's CA. */
export const namespaceDefaults: ClusterController = (world, plan) => {
  const has = (type: string, namespace: string, name: string) =>
    world.list(type).some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  for (const { metadata } of world.list('namespaces')) {
    if (metadata.deletionTimestamp) continue;
    const namespace = metadata.name;
    if (!has('serviceaccounts', namespace, 'default'))
      plan.create('serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      });
    if (!has('configmaps', namespace, 'kube-root-ca.crt'))
      plan.create('configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'kube-root-ca.crt', namespace },
        data: { 'ca.crt': world.cluster.caCertificate },
      });
  }
};

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: { port: number; nodePort?: number }[];
}

const serviceAddress = ({ cluster }: World, service: KubeObject, taken: Set<string>): string => {
  const [base = '10.96.0.0'] = cluster.serviceSubnet.split(/[/,]/);
  const [a = '10', b = '96'] = base.split('.');
  let value = hash(service.metadata.uid ?? service.metadata.name);
  for (;;) {
    const address = `${a}.${b}.${(value >>> 8) & 255}.${(value % 240) + 11}`;
    if (!taken.has(address)) return address;
    value = hash(`${address}${value}`);
  }
};

/** Assigns cluster addresses and node ports to services without them. */
export const serviceAddresses: ClusterController = (world, plan) => {
  const services = world.list<KubeObject<ServiceSpec>>('services');
  const taken = new Set(services.map(({ spec }) => spec?.clusterIP ?? ''));
  for (const service of services) {
    const { spec = {} } = service;
    const exposed = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
    const withoutPort = exposed && (spec.ports ?? []).some(({ nodePort }) => nodePort === undefined);
    if (spec.type === 'ExternalName' || (spec.clusterIP && !withoutPort)) continue;
    const clusterIP = spec.clusterIP ?? serviceAddress(world, service, taken);
    taken.add(clusterIP);
    const ports = spec.ports?.map((port) =>
      exposed && port.nodePort === undefined
        ? { ...port, nodePort: 30000 + (hash(`${service.metadata.uid}${port.port}`) % 2768) }
        : port,
    );
    plan.update('services', {
      ...service,
      spec: { ...spec, clusterIP, clusterIPs: [clusterIP], ...(ports && { ports }) },
    });
  }
};

/** Deletion in the foreground, orphaning, and objects whose owners are all gone. */
export const garbage =
  (types: () => string[]): ClusterController =>
  (world, plan) => {
    const all = types().flatMap((type) => world.list(type).map((object) => ({ type, object })));
    const uids = new Set(all.map(({ object }) => object.metadata.uid));
    const dependents = new Map<string, { type: string; object: KubeObject }[]>();
    for (const entry of all)
      for (const { uid } of entry.object.metadata.ownerReferences ?? [])
        dependents.set(uid, [...(dependents.get(uid) ?? []), entry]);
    const erase = (type: string, object: KubeObject) => {
      if (object.metadata.deletionTimestamp) return;
      if (type === 'pods') plan.terminate(object as PodObject, world.now);
      else plan.remove(type, object);
    };
    for (const { type, object } of all) {
      const { metadata } = object;
      const owners = metadata.ownerReferences ?? [];
      if (owners.length > 0 && owners.every(({ uid }) => !uids.has(uid))) erase(type, object);
      if (!metadata.deletionTimestamp) continue;
      const finalizers = metadata.finalizers ?? [];
      const mine = dependents.get(metadata.uid ?? '') ?? [];
      const without = (finalizer: string) => {
        const left = finalizers.filter((name) => name !== finalizer);
        const { finalizers: _, ...rest } = metadata;
        const next = { ...object, metadata: { ...rest, ...(left.length > 0 && { finalizers: left }) } };
        if (left.length > 0) plan.update(type, next);
        else plan.remove(type, object);
      };
      if (finalizers.includes('foregroundDeletion')) {
        for (const { type: of, object: dependent } of mine) erase(of, dependent);
        if (mine.length === 0) without('foregroundDeletion');
      } else if (finalizers.includes('orphan')) {
        for (const { type: of, object: dependent } of mine) {
          const ownerReferences = (dependent.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== metadata.uid);
          plan.update(of, { ...dependent, metadata: { ...dependent.metadata, ownerReferences } });
        }
        if (mine.length === 0) without('orphan');
      }
    }
  };

/** Empties namespaces in deletion, then removes their finalizers. */
export const namespaceDeletion =
  (namespacedTypes: () => string[]): ClusterController =>
  (world, plan) => {
    for (const namespace of world.list('namespaces')) {
      if (!namespace.metadata.deletionTimestamp) continue;
      let left = 0;
      for (const type of namespacedTypes()) {
        for (const object of world.list(type)) {
          if (object.metadata.namespace !== namespace.metadata.name) continue;
          left++;
          if (object.metadata.deletionTimestamp) continue;
          if (type === 'pods') plan.terminate(object as PodObject, world.now);
          else plan.remove(type, object);
        }
      }
      if (left === 0 && !namespace.metadata.finalizers?.length) plan.remove('namespaces', namespace);
    }
  };
