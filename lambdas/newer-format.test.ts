/** Functions of an older version over tables that a newer one has written. */

import { expect, it } from 'vitest';
import { noRestrictions } from '../machinery/server/index.ts';
import { storedFormat } from '../machinery/store/format.ts';
import { recordFormat, underFormat } from '../machinery/store/format-record.ts';
import { composeFoundation } from '../runtime/foundation.ts';
import { createServing } from './runtime/serving.ts';
import { createSweeping } from './runtime/sweeping.ts';
import { recordedSwitches } from './switches.fixture.ts';
import { createWorld } from './world.fixture.ts';

const says = `it reads stored format ${storedFormat}, and the tables have format ${storedFormat + 1}`;

it('refuse in words, change nothing, and go on once the newer version is there again', async () => {
  const { foundation, entries, clock } = createWorld();
  const { objects } = foundation;
  await recordFormat(objects, storedFormat + 1);
  const { table, format } = underFormat(objects, clock);
  const process = composeFoundation({ ...foundation, objects: table, format });
  const { server } = createServing(process, {
    authenticate: () => ({ username: 'me', groups: ['system:masters'] }),
    rightsOf: () => noRestrictions,
  });
  const clusters = 'https://api/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters';
  const list = async () => {
    const response = await server.fetch(new Request(clusters));
    return { status: response.status, body: (await response.json()) as object };
  };

  expect(await list()).toMatchObject({ status: 503, body: { kind: 'Status', message: expect.stringContaining(says) } });
  await expect(createSweeping(process, recordedSwitches([])).sweep()).rejects.toThrow(says);
  expect(entries).toEqual([]);

  await recordFormat(objects, storedFormat);
  expect(await list()).toMatchObject({ status: 200, body: { kind: 'ClusterList', items: [] } });
});
