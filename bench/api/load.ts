/** One load on one API server, as a process of its own: reads what to do as JSON from its input, and writes what it took. */
import { text } from 'node:stream/consumers';
import { type Load, measure } from './loads.ts';
import type { Target } from './target.ts';

const { target, load } = JSON.parse(await text(process.stdin)) as { target: Target; load: Load };
console.log(JSON.stringify(await measure(target, load)));
process.exit();
