import { expect, it } from 'vitest';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { openClusterStore } from './cluster-store.ts';

it('reports to its users only that its table is closed before it has loaded', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.prependListener('unhandledRejection', note);
  try {
    const clock = virtualClock(0);
    const closed = () => Promise.reject(new Error('the table is closed'));
    const store = openClusterStore({
      table: { ...memoryTable({ clock }), get: closed, query: closed },
      clock,
      random: seededRandom(1),
      notifier: memoryNotifier(clock),
      changed: () => {},
      updated: () => {},
      removed: () => {},
      isStopped: () => true,
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    await expect(store.loaded).rejects.toThrow('the table is closed');
  } finally {
    process.off('unhandledRejection', note);
  }
});
