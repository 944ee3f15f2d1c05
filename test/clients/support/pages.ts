/** The commands of a page, run by a shell as they stand. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The blocks of a language under a heading, or above the first one. */
export const blocksOf = (page: string, language: string, heading?: string): string[] => {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const sections = text.split(/^## /m);
  const section = heading === undefined ? sections[0]! : sections.find((one) => one.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section ${heading}`);
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!);
};

/** A folder with this kubectl and capstan, for the PATH. */
const binariesIn = (directory: string, kubectl: string): string => {
  const binaries = join(directory, 'bin');
  mkdirSync(binaries, { recursive: true });
  for (const [name, command] of [
    ['kubectl', kubectl],
    ['capstan', `${process.execPath} ${join(root, 'cli', 'main.ts')}`],
  ] as const) {
    writeFileSync(join(binaries, name), `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(join(binaries, name), 0o755);
  }
  return binaries;
};

/** Runs a script in a folder of its own that has examples/, stopping at the first command that fails. */
export const runScript = async (
  script: string,
  { directory, kubectl, kubeconfig }: { directory: string; kubectl: string; kubeconfig: string },
): Promise<{ code: number | null; output: string }> => {
  const binaries = binariesIn(directory, kubectl);
  const cwd = join(directory, 'work');
  mkdirSync(cwd, { recursive: true });
  try {
    symlinkSync(join(root, 'examples'), join(cwd, 'examples'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const path = [binaries, dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...process.env, PATH: path, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += String(text);
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
};
