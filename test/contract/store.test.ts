import { memoryTable } from '../../adapters/memory/table.ts';
import { inDirectory } from './directory.ts';
import { storeContract } from './store.contract.ts';

storeContract('a table in memory', async (clock) => ({ table: memoryTable({ clock }) }));

storeContract('a durable table', inDirectory);
