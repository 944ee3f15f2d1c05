/** The Workload port over a transport. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connectionOf, hostOf } from '../../kinds/ports/kubeconfig.ts';
import type { Connection, Transport } from '../../kinds/ports/transport.ts';
import {
  type Access,
  type Workload,
  type WorkloadEffects,
  WorkloadError,
  type WorkloadReads,
} from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Client, createClient, type Target, targetOf } from './client.ts';
import { readDeprecatedApis } from './deprecated-apis.ts';
import { moveLeader, readEtcd, readMember, removeMember } from './etcd.ts';
import { trimTo } from './trim.ts';
import { readUnservedObjects } from './unserved-objects.ts';

type Reads = { [R in keyof WorkloadReads]: (input: WorkloadReads[R][0]) => Promise<WorkloadReads[R][1] | undefined> };
type Effects = { [E in keyof WorkloadEffects]: (input: WorkloadEffects[E]) => Promise<void> };

const mergePatch = 'application/merge-patch+json';
const unknownKind = ({ apiVersion, kind }: Target): WorkloadError =>
  new WorkloadError('NotFound', `no matches for kind "${kind}" in version "${apiVersion}"`);
const isRefusal = (error: unknown, code: string): boolean => error instanceof WorkloadError && error.code === code;

interface Page {
  metadata?: { continue?: string };
  items?: KubeObject[];
}

interface ListOptions {
  query: Record<string, string>;
  pageSize: number;
  /** Applied to each page, so that a long list needs little memory. */
  trim: (item: KubeObject) => KubeObject;
}

/** All pages; undefined if the collection does not exist. */
const listAll = async (
  client: Client,
  connection: Connection,
  path: string,
  { query, pageSize, trim }: ListOptions,
): Promise<KubeObject[] | undefined> => {
  const ask = (more: Record<string, string>) => {
    const whole = new URLSearchParams({ ...query, ...more }).toString();
    return client.send<Page>(connection, 'GET', whole ? `${path}?${whole}` : path);
  };
  const items: KubeObject[] = [];
  let next: string | undefined;
  do {
    let page: Page | undefined;
    try {
      page = await ask({ limit: String(pageSize), ...(next && { continue: next }) });
    } catch (error) {
      if (!next || !isRefusal(error, 'Expired')) throw error;
      // The list's version was compacted, and a list without pages cannot expire.
      return (await ask({}))?.items?.map(trim) ?? [];
    }
    if (!page) return undefined;
    items.push(...(page.items ?? []).map(trim));
    next = page.metadata?.continue;
  } while (next);
  return items;
};

const readsOf = (client: Client, transport: Transport, pageSize: number): Reads => ({
  get: async ({ kubeconfig, ...target }) => {
    const connection = connectionOf(kubeconfig);
    const path = await client.pathOf(connection, target);
    return path === undefined ? undefined : client.send<KubeObject>(connection, 'GET', path);
  },
  list: async ({ kubeconfig, labelSelector, fieldSelector, only, ...target }) => {
    const connection = connectionOf(kubeconfig);
    const path = await client.pathOf(connection, target);
    const query = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
    const trim = only ? trimTo(only) : (item: KubeObject) => item;
    const items = path === undefined ? undefined : await listAll(client, connection, path, { query, pageSize, trim });
    const { apiVersion, kind } = target;
    return items && { items: items.map((item) => ({ ...item, apiVersion, kind })) };
  },
  version: async ({ kubeconfig }) => client.send<{ gitVersion: string }>(connectionOf(kubeconfig), 'GET', '/version'),
  etcd: async (access) => readEtcd(transport, connectionOf(access.kubeconfig), access),
  etcdMember: async (access) => readMember(transport, connectionOf(access.kubeconfig), access),
  servingCertificate: async ({ kubeconfig, node }) => {
    const connection = connectionOf(kubeconfig);
    const certificate = new X509Certificate(await transport.certificate(connection, node));
    const host = hostOf(connection);
    return {
      notAfter: new Date(certificate.validTo).toISOString().replace(/\.\d+Z$/, 'Z'),
      coversEndpoint: (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined,
    };
  },
  deprecatedApis: async ({ kubeconfig, node }) => ({
    apis: await readDeprecatedApis(transport, connectionOf(kubeconfig), node),
  }),
  unservedObjects: async ({ kubeconfig, older, newer }) => ({
    kinds: await readUnservedObjects(transport, connectionOf(kubeconfig), { older, newer }),
  }),
});

const effectsOf = (client: Client, transport: Transport): Effects => {
  const collection = async ({ kubeconfig }: Access, object: KubeObject) => {
    const connection = connectionOf(kubeconfig);
    const { namespace = 'default' } = object.metadata;
    const target = { apiVersion: object.apiVersion, kind: object.kind, namespace };
    const path = await client.pathOf(connection, target);
    if (path === undefined) throw unknownKind(target);
    return { connection, path };
  };
  const create: Effects['create'] = async ({ kubeconfig, object }) => {
    const { connection, path } = await collection({ kubeconfig }, object as KubeObject);
    try {
      const created = await client.send(connection, 'POST', path, { body: object });
      if (created === undefined)
        throw new WorkloadError('NotFound', `nothing can be created at ${path}: no such namespace`);
    } catch (error) {
      if (!isRefusal(error, 'AlreadyExists')) throw error;
    }
  };
  const patch: Effects['patch'] = async ({ kubeconfig, patch: change, resourceVersion, ifPresent, ...target }) => {
    const connection = connectionOf(kubeconfig);
    const path = await client.pathOf(connection, target);
    if (path === undefined) throw unknownKind(target);
    const metadata = { ...(change.metadata as object | undefined), resourceVersion };
    const body = resourceVersion === undefined ? change : { ...change, metadata };
    const patched = await client.send(connection, 'PATCH', path, { body, contentType: mergePatch });
    if (patched === undefined && !ifPresent)
      throw new WorkloadError('NotFound', `${target.kind} "${target.name}" not found`);
  };
  return {
    create,
    patch,
    apply: async ({ kubeconfig, object }) => {
      const connection = connectionOf(kubeconfig);
      const target = targetOf(object as KubeObject);
      const path = await client.pathOf(connection, target);
      if (path === undefined) throw unknownKind(target);
      const patched = await client.send(connection, 'PATCH', path, { body: object, contentType: mergePatch });
      if (patched === undefined) await create({ kubeconfig, object });
    },
    applyServerSide: async ({ kubeconfig, object, fieldManager }) => {
      const connection = connectionOf(kubeconfig);
      const target = targetOf(object as KubeObject);
      const path = await client.pathOf(connection, target);
      if (path === undefined) throw unknownKind(target);
      const query = new URLSearchParams({ fieldManager, force: 'true' });
      // JSON is YAML.
      const applied = await client.send(connection, 'PATCH', `${path}?${query}`, {
        body: object,
        contentType: 'application/apply-patch+yaml',
      });
      if (applied === undefined)
        throw new WorkloadError('NotFound', `nothing can be applied at ${path}: no such namespace`);
    },
    delete: async ({ kubeconfig, ...target }) => {
      const connection = connectionOf(kubeconfig);
      const path = await client.pathOf(connection, target);
      if (path !== undefined)
        await client.send(connection, 'DELETE', path, { body: { propagationPolicy: 'Background' } });
    },
    evict: async ({ kubeconfig, namespace, pod, gracePeriodSeconds }) => {
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name: pod },
        ...(gracePeriodSeconds !== undefined && { deleteOptions: { gracePeriodSeconds } }),
      };
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/eviction`;
      try {
        await client.send(connectionOf(kubeconfig), 'POST', path, { body });
      } catch (error) {
        // A budget or another webhook rejects the eviction, and no event announces when it no longer does.
        if (!(error instanceof WorkloadError)) throw error;
        throw new WorkloadError(error.code, error.message, { cause: error, consequence: 'wait' });
      }
    },
    etcdMoveLeader: async ({ to, ...access }) => moveLeader(transport, connectionOf(access.kubeconfig), access, to),
    etcdRemoveMember: async ({ memberID, ...access }) =>
      removeMember(transport, connectionOf(access.kubeconfig), access, memberID),
  };
};

export interface WorkloadOptions {
  transport: Transport;
  /** Objects per page; 500 by default. */
  pageSize?: number;
}

/** Reads return undefined for a definite 404; every other error rejects with a WorkloadError. */
export const createWorkload = ({ transport, pageSize = 500 }: WorkloadOptions): Workload => {
  const client = createClient(transport);
  const reads = readsOf(client, transport, pageSize);
  const effects = effectsOf(client, transport);
  return {
    read: (operation, input) => reads[operation](input),
    effect: (operation, input) => effects[operation](input),
  };
};
