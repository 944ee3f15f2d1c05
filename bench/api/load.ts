/** One load on one API server, as a process: reads its parameters as JSON from stdin, and prints the result. */
import { text } from 'node:stream/consumers';
import { type Load, measure } from './loads.ts';
import type { Target } from './target.ts';

const { target, load } = JSON.parse(await text(process.stdin)) as { target: Target; load: Load };
console.log(JSON.stringify(await measure(target, load)));
process.exit();
