/** Prints the cost of each verb through each client. */
import { openClients } from './clients.ts';
import { timeVerbs } from './verbs.ts';

const line = (cells: string[]) =>
  cells.map((cell, index) => (index < 3 ? cell.padEnd(19) : cell.padStart(11))).join('');

interface Options {
  objects: number[];
  calls: number;
  concurrency: number;
  json: boolean;
}

export const timeClients = async ({ objects: numbers, calls, concurrency, json }: Options): Promise<void> => {
  const { clients, close } = await openClients();
  if (!json) console.log(line(['client', 'objects', 'verb', 'per s', 'p50 ms', 'p99 ms', 'CPU ms']));
  for (const client of clients) {
    for (const objects of numbers) {
      for (const timing of await timeVerbs(client, { objects, calls, concurrency })) {
        const { verb, perSecond, p50, p99, cpuMs } = timing;
        const cells = [perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), cpuMs.toFixed(2)];
        console.log(json ? JSON.stringify(timing) : line([client.name, String(objects), verb, ...cells]));
      }
    }
  }
  await close();
};
