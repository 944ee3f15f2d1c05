import { memoryTable } from '../../adapters/memory/table.ts';
import { inDirectory } from './directory.ts';
import { tableContract } from './table.contract.ts';

tableContract('in memory', async (clock) => ({ table: memoryTable({ clock }) }));

tableContract('durable', inDirectory);
