/** `npm run bench:bill`: counts the work that docs/cost.md charges, and writes it to bench/bill/counted.json. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Counts, countWork, fleets } from './bill/work.ts';

const counts: Counts = {};
for (const clusters of fleets) counts[clusters] = await countWork(clusters);
writeFileSync(join(import.meta.dirname, 'bill/counted.json'), `${JSON.stringify(counts, null, 2)}\n`);
