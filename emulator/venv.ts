/** The Python virtual environment of MiniStack and moto, created on first use and kept. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const requirements = join(import.meta.dirname, 'requirements.txt');
const ownFolder = join(import.meta.dirname, '../.build/emulator/venv');
/** Written last: an environment without it was interrupted. */
const complete = 'capstan-complete';

const pythonOf = (folder: string): string => join(folder, 'bin/python');

const isComplete = async (folder: string): Promise<boolean> => {
  try {
    return (await readFile(join(folder, complete), 'utf8')) === (await readFile(requirements, 'utf8'));
  } catch {
    return false;
  }
};

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const install = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch (error) {
    const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string };
    const why = code === 'ENOENT' ? 'there is no python3 on the PATH' : lastLine(stderr);
    throw new Error(
      `the emulator needs Python 3.10 or later with its venv module (on Debian: python3-venv), but ${why}; ` +
        'or name a virtual environment that has emulator/requirements.txt installed in CAPSTAN_EMULATOR_VENV',
      { cause: error },
    );
  }
  try {
    const pip = [
      '-m',
      'pip',
      'install',
      '--no-input',
      '--disable-pip-version-check',
      '--no-deps',
      '--requirement',
      requirements,
    ];
    await run(pythonOf(folder), pip, { maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(
      `cannot install MiniStack and moto from the Python package index, which is needed once: ${lastLine(stderr)}`,
      { cause: error },
    );
  }
  await writeFile(join(folder, complete), await readFile(requirements, 'utf8'));
};

/** Its Python; creates it when missing, which needs the network. Rejects with advice. */
export const ensureVenv = async (say: (line: string) => void = () => undefined): Promise<string> => {
  const given = process.env.CAPSTAN_EMULATOR_VENV;
  if (given) {
    if (!existsSync(pythonOf(given)))
      throw new Error(`CAPSTAN_EMULATOR_VENV is ${given}, but there is no ${pythonOf(given)}`);
    return pythonOf(given);
  }
  if (!(await isComplete(ownFolder))) {
    say('Installing MiniStack and moto, once, into .build/emulator/venv …');
    await install(ownFolder);
  }
  return pythonOf(ownFolder);
};
