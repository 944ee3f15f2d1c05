import { beforeEach, describe, expect, it } from 'vitest';
import { aCluster, anOperation, named, openServer } from '../server.fixture.ts';
import { findClusterObjects } from './load.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});
const operationOf = async (name: string) => (await findClusterObjects(server.client, 'default', name))?.operation;

describe('the operation that a Cluster names', () => {
  it('is read', async () => {
    await server.put(aCluster(named('c-create-1')));
    await server.put(anOperation({ phase: 'Running' }));
    expect(await operationOf('c')).toMatchObject({ metadata: { name: 'c-create-1' }, status: { phase: 'Running' } });
  });
  it('may not exist', async () => {
    await server.put(aCluster(named('c-create-1')));
    expect(await operationOf('c')).toBeUndefined();
  });
  it('may be unset', async () => {
    await server.put(aCluster());
    await server.put(anOperation());
    expect(await operationOf('c')).toBeUndefined();
  });
});
