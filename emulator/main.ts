/** `npm run emulator`: emulates AWS for the deployed form until Ctrl-C. */
import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openProgress } from '../tools/progress.mjs';
import { environmentFile, environmentOf } from './environment.ts';
import { startEmulator } from './index.ts';
import { emptied } from './reset.ts';

const usage = `Usage: npm run emulator -- [options]

  --installation NAME   what will be deployed into it (capstan)
  --region REGION       of everything in it (eu-central-1)
  --port PORT           where kubectl finds the deployed API (a free one, kept)
  --folder FOLDER       state, logs and code (.build/emulator/data)
  --speed N             divides the delays inside the instances (20)
  --reset               start with an empty account: deletes what FOLDER holds
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
    reset: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

/** A number given by an option, within its limits. */
const numberOf = (option: 'port' | 'speed' | 'concurrency', least: number, most: number): number | undefined => {
  const text = values[option];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new Error(`--${option} ${text} is no number from ${least} to ${most}`);
};

const progress = openProgress(process.stdout);

const start = async (): Promise<void> => {
  const folder = resolve(values.folder);
  const [port, speed] = [numberOf('port', 1, 65_535), numberOf('speed', 0.001, 10_000)];
  const concurrency = numberOf('concurrency', 1, 10_000);
  progress.step('Starting the emulator');
  if (values.reset) await emptied(folder, (line) => progress.step(line));
  const emulator = await startEmulator({
    folder,
    say: (line) => progress.step(line.replace(/ …$/, '')),
    ...(values.installation && { installation: values.installation }),
    ...(values.region && { region: values.region }),
    ...(port !== undefined && { port }),
    ...(speed !== undefined && { speed }),
    ...(concurrency !== undefined && { concurrency }),
  });
  const file = environmentFile(folder);
  await writeFile(file, environmentOf(emulator), { mode: 0o600 });
  progress.done();
  for (const loss of emulator.losses) print(`${loss}\n`);
  const shown = relative('', file);
  print(`
The emulator is up. In another shell:

source ${shown.startsWith('..') ? file : shown}
capstan deploy
capstan login --url $CAPSTAN_EMULATOR_URL --certificate-authority $CAPSTAN_EMULATOR_CA

To reach clusters that are made here: HTTPS_PROXY=$CAPSTAN_EMULATOR_PROXY kubectl --kubeconfig …
Logs: ${emulator.folder}. Ctrl-C ends it; the next start goes on from there.
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
