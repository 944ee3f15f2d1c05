import { memoryTable } from '../../adapters/memory/table.ts';
import { storeContract } from './store.contract.ts';

storeContract('the memory table', async (clock) => ({ table: memoryTable({ clock }) }));
