import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// kubectl starts `capstan token` for its commands: nothing but what that needs is loaded, and compiled once only.
enableCompileCache(join(import.meta.dirname, '..', '.build', 'compile-cache'));

const { run } = await import('./run.ts');
if (process.argv[2] === 'token') await run((await import('./token.ts')).tokenCommand(), process.argv.slice(3));
else await run((await import('./program.ts')).createProgram(), process.argv.slice(2));
