import { misbehavingTable } from '../../adapters/memory/misbehaving-table.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { seeds } from '../seeds.ts';
import { inDirectory } from './directory.ts';
import { storeContract } from './store.contract.ts';

storeContract('a table in memory', async (clock) => ({ table: memoryTable({ clock }) }));

storeContract('a durable table', (clock) => inDirectory(clock));

storeContract('a durable table that reads the log from disk', (clock) => inDirectory(clock, { recentBytes: 0 }));

for (const seed of seeds(3)) {
  storeContract(`a table that misbehaves (seed ${seed})`, async (clock) => ({
    table: misbehavingTable(clock, seededRandom(seed)),
  }));
}
