import { describe, expect, it } from 'vitest';
import type { Transport } from '../../kinds/ports/transport.ts';
import { readUnservedObjects } from './unserved-objects.ts';

const connection = { server: 'https://api.example.com' };
const unused = () => Promise.reject(new Error('not asked for'));
const nodes = { older: 'old', newer: 'new' };

type Discovered = Record<string, Record<string, string[]>>;
const listOf = (groups: Discovered, more: object = {}) => ({
  kind: 'APIGroupDiscoveryList',
  items: Object.entries(groups).map(([name, versions]) => ({
    metadata: name ? { name } : {},
    versions: Object.entries(versions).map(([version, resources]) => ({
      version,
      resources: resources.map((resource) => ({
        resource,
        responseKind: { kind: `Kind of ${resource}` },
        verbs: resource === 'reviews' ? ['create'] : ['list', 'get'],
      })),
      ...more,
    })),
  })),
});

const older: Discovered = { apps: { v1: ['deployments'] }, flow: { v1beta1: ['schemas'] } };
const newer: Discovered = {
  apps: { v1: ['deployments'] },
  flow: { v1: ['schemas', 'limits'], v1beta1: ['schemas', 'limits'] },
  auth: { v1: ['reviews'] },
};

const gone = {};
const read = async (lists: Record<string, object> = {}, more: object = {}) => {
  const asked: string[] = [];
  const transport: Transport = {
    fetch: unused,
    etcd: unused,
    etcdStream: unused,
    certificate: unused,
    fetchOn: async (_, node, { url, headers }) => {
      const path = url.slice(connection.server.length);
      if (path === '/api') return Response.json(listOf({ '': { v1: ['pods'] } }));
      if (path === '/apis') {
        if (!headers.get('accept')?.includes('as=APIGroupDiscoveryList'))
          return Response.json({ kind: 'APIGroupList' });
        return Response.json(listOf(node === 'new' ? newer : older, node === 'old' ? more : {}));
      }
      asked.push(`${node} ${path}`);
      if (lists[path] === gone) return Response.json({}, { status: 404 });
      return Response.json(lists[path] ?? { metadata: {}, items: [] });
    },
  };
  return { asked, kinds: await readUnservedObjects(transport, connection, nodes) };
};

describe('the objects that only the newer API server serves', () => {
  it('are looked for in kinds of which the older one serves no version', async () => {
    expect(await read()).toEqual({ asked: ['new /apis/flow/v1/limits?limit=1'], kinds: [] });
  });

  it('are counted, with one of them', async () => {
    const page = { metadata: { remainingItemCount: 4 }, items: [{ metadata: { namespace: 'default', name: 'a' } }] };
    const { kinds } = await read({ '/apis/flow/v1/limits?limit=1': page });
    expect(kinds).toEqual([{ apiVersion: 'flow/v1', kind: 'Kind of limits', count: 5, example: 'default/a' }]);
  });

  it('are unknown if a discovered kind is not served', () =>
    expect(read({ '/apis/flow/v1/limits?limit=1': gone })).rejects.toMatchObject({
      code: 'NotFound',
      message: '/apis/flow/v1/limits is discovered and not served',
    }));

  it('are unknown while the server of an API does not answer', () =>
    expect(read({}, { freshness: 'Stale' })).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: 'apps/v1 does not answer',
    }));
});
