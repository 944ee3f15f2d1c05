import { expect, it } from 'vitest';
import { nameFor } from './name.ts';
import { noteOf, poolAnnotation, storedDataAnnotation, storedDataOf, storedDataText } from './note.ts';

const owner = { installation: 'here', clusterUid: 'u1', clusterName: 'demo', additionalTags: {} };
const pool = { apiVersion: 'v1', kind: 'AWSMachinePool', metadata: { namespace: 'default', name: 'pool', uid: 'p' } };

it('names the groups of two clusters, namespaces and pools differently', () => {
  const names = [
    nameFor(owner, pool),
    nameFor({ ...owner, clusterUid: 'u2' }, pool),
    nameFor({ ...owner, installation: 'there' }, pool),
    nameFor(owner, { ...pool, metadata: { ...pool.metadata, namespace: 'other' } }),
    nameFor({ ...owner, clusterName: 'demo-pool' }, { ...pool, metadata: { ...pool.metadata, name: 'x' } }),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(names[0]).toMatch(/^demo-pool-[0-9a-f]{8}$/);
  const long = nameFor(owner, { ...pool, metadata: { ...pool.metadata, name: 'x'.repeat(250) } });
  expect(long.length).toBeLessThanOrEqual(128);
});

it('counts only on the object that it was written on', () => {
  const note = {
    pool: 'p',
    region: 'r',
    clusterUid: 'u',
    clusterName: 'demo',
    name: 'n',
    secrets: { prefix: 'x', count: 1 },
  };
  const on = (uid: string, text: string) =>
    noteOf({ metadata: { ...pool.metadata, uid, annotations: { [poolAnnotation]: text } } });
  expect(on('p', JSON.stringify(note))?.name).toBe('n');
  expect(on('another', JSON.stringify(note))).toBeUndefined();
  expect(on('p', 'no JSON')).toBeUndefined();
  expect(on('p', '{"pool":"p"}')).toBeUndefined();
});

it('reads what is stored', () => {
  const annotations = { [storedDataAnnotation]: storedDataText({ hash: 'h', count: 2 }) };
  expect(storedDataOf({ ...pool, metadata: { ...pool.metadata, annotations } })).toEqual({ hash: 'h', count: 2 });
  expect(storedDataOf(pool)).toBeUndefined();
});
