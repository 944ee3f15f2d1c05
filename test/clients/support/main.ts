/** A server process of its own: the suite blocks while a kubectl runs. Prints where it listens, ends with its parent. */
import { serveHere } from './server.ts';

const { close: _, ...running } = await serveHere();
process.stdout.write(`${JSON.stringify(running)}\n`);
process.stdin.resume().once('end', () => process.exit(0));
