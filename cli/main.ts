import { run } from './run.ts';

// kubectl starts `capstan token` for each of its commands: nothing but what that needs is loaded for it.
if (process.argv[2] === 'token') await run((await import('./token.ts')).tokenCommand(), process.argv.slice(3));
else await run((await import('./program.ts')).createProgram(), process.argv.slice(2));
