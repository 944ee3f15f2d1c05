import { misbehavingTable } from '../../adapters/memory/misbehaving-table.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { inDirectory } from './directory.ts';
import { tableContract } from './table.contract.ts';

tableContract('in memory', async (clock) => ({ table: memoryTable({ clock }) }));

tableContract('durable', (clock) => inDirectory(clock));

tableContract('misbehaving', async (clock) => ({ table: misbehavingTable(clock, seededRandom(3)) }));
