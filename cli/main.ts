import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// kubectl runs `capstan token` and shells run `capstan complete`: each command loads only what it needs, and
// compiles it once.
enableCompileCache(join(import.meta.dirname, '..', '.build', 'compile-cache'));

const { showUnawaited } = await import('./failure.ts');
showUnawaited();
const { run } = await import('./run.ts');
if (process.argv[2] === 'token') await run((await import('./commands/token.ts')).tokenCommand(), process.argv.slice(3));
else await run((await import('./program.ts')).createProgram(), process.argv.slice(2));
