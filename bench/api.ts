/** How fast the API answers: by verb and number of objects, called as a function and over HTTPS. */
import { parseArgs } from 'node:util';
import { openDoors } from './api/doors.ts';
import { timeVerbs } from './api/verbs.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '100,1000' },
    calls: { type: 'string', default: '1000' },
    concurrency: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
  },
});
const [calls, concurrency] = [Number(values.calls), Number(values.concurrency)];
const line = (cells: string[]) =>
  cells.map((cell, index) => (index < 3 ? cell.padEnd(19) : cell.padStart(11))).join('');

const { doors, close } = await openDoors();
if (!values.json) console.log(line(['door', 'objects', 'verb', 'per s', 'p50 ms', 'p99 ms', 'CPU ms']));
for (const door of doors) {
  for (const objects of values.objects.split(',').map(Number)) {
    for (const timing of await timeVerbs(door, { objects, calls, concurrency })) {
      const { verb, perSecond, p50, p99, cpuMs } = timing;
      const numbers = [perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), cpuMs.toFixed(2)];
      console.log(values.json ? JSON.stringify(timing) : line([door.name, String(objects), verb, ...numbers]));
    }
  }
}
await close();
process.exit();
