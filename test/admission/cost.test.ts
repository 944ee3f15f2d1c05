/** What admission costs while users define none. */
import { expect, it } from 'vitest';
import { configMap, configMaps, createAdmissionWorld } from './world.ts';

it('reads nothing but the mark that tells about rights, too', async () => {
  const world = createAdmissionWorld();
  await world.root.get(configMaps);
  await world.root.post(configMaps, configMap('first'));
  const { objects } = world.foundation;
  const read: string[] = [];
  const get = objects.get.bind(objects);
  objects.get = (key, options) => {
    read.push(key.pk);
    return get(key, options);
  };
  await world.clock.advance(1001);
  await world.root.patch(`${configMaps}/first`, 'merge', { data: { n: '1' } });
  expect(read.filter((pk) => pk.startsWith('m#'))).toEqual(['m#rbac.authorization.k8s.io']);
  read.length = 0;
  const kind = world.foundation.kinds.named('ConfigMap');
  const key = { namespace: 'default', name: 'first' };
  await world.clock.advance(1001);
  const annotate = (one: object) => ({
    ...one,
    metadata: { ...(one as { metadata: object }).metadata, annotations: {} },
  });
  await world.foundation.writer.update(kind, key, annotate as never, { writer: 'pool' });
  expect(read.filter((pk) => pk.startsWith('m#'))).toEqual([]);
});
