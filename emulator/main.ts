/** `npm run emulator`: emulates AWS for the deployed form until Ctrl-C. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openProgress } from '../tools/progress.mjs';
import { startEmulator } from './index.ts';

const usage = `Usage: npm run emulator -- [options]

  --installation NAME   what will be deployed into it (capstan)
  --region REGION       of everything in it (eu-central-1)
  --port PORT           where kubectl finds the deployed API (a free one, kept)
  --folder FOLDER       state, logs and code (.build/emulator/data)
  --speed N             divides the delays inside the instances (20)
  --concurrency N       functions that run at once in the account (40; a new account of AWS has 10)
`;

const print = (text: string) => process.stdout.write(text);

const { values } = parseArgs({
  options: {
    installation: { type: 'string' },
    region: { type: 'string' },
    port: { type: 'string' },
    folder: { type: 'string', default: join(import.meta.dirname, '../.build/emulator/data') },
    speed: { type: 'string' },
    concurrency: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const progress = openProgress(process.stdout);

const start = async (): Promise<void> => {
  progress.step('Starting the emulator');
  const emulator = await startEmulator({
    folder: values.folder,
    say: (line) => progress.step(line.replace(/ …$/, '')),
    ...(values.installation && { installation: values.installation }),
    ...(values.region && { region: values.region }),
    ...(values.port && { port: Number(values.port) }),
    ...(values.speed && { speed: Number(values.speed) }),
    ...(values.concurrency && { concurrency: Number(values.concurrency) }),
  });
  progress.done();
  const lines = Object.entries(emulator.variables).map(([name, value]) => `export ${name}='${value}'`);
  print(`
The emulator is up. In another shell, put what follows:

${lines.join('\n')}

Then deploy into it, and log in:

npm run deploy
npm run capstan -- login --url ${emulator.url} --certificate-authority ${emulator.caFile}

Clusters that are made here are reached with: export HTTPS_PROXY='${emulator.proxy}'
Logs: ${emulator.folder}. Ctrl-C ends it.
`);
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    print('Ending …\n');
    void emulator.close().then(() => process.exit(0));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
};

if (values.help) print(usage);
else
  start().catch((error: unknown) => {
    progress.failed();
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
