/** A separate server process, because the suite blocks while kubectl runs. Prints its address, ends with its parent. */
import { serveHere } from './server.ts';

const { close: _, ...running } = await serveHere();
process.stdout.write(`${JSON.stringify(running)}\n`);
process.stdin.resume().once('end', () => process.exit(0));
