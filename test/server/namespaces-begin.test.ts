import { expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { namespace } from '../../kinds/kubernetes/namespace/index.ts';
import { ensureNamespaces } from '../../machinery/server/index.ts';
import { openStore } from '../../machinery/store/index.ts';

it('several processes may create the first namespaces at once', async () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const table = memoryTable({ clock });
  const begin = (seed: number) => {
    const random = seededRandom(seed);
    const store = openStore({
      table,
      clock,
      random,
      keys: memoryKeys(random),
      kinds: [namespace],
      notifier: memoryNotifier(clock),
    });
    return ensureNamespaces(store, clock, random).then(() => store);
  };
  const [store] = await Promise.all([begin(1), begin(2), begin(3)]);
  const { objects } = await store!.list('namespaces');
  expect(objects.map(({ metadata }) => metadata.name)).toEqual([
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ]);
});
