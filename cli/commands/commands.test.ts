import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

const root = join(import.meta.dirname, '..', '..');
const folders = ['cli', 'kinds', 'lambdas', 'local', 'cdk', 'emulator', 'machinery', 'adapters', 'docs'];
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/README.md'];
const files = [
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  ),
  ...pages,
].filter((file) => /\.(ts|md)$/.test(file) && !/\.test\.ts$/.test(file));

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

const find = (command: Command, name: string) =>
  command.commands.find((each) => each.name() === name || each.aliases().includes(name));

/** The first word after `capstan` that is not a command. Arguments of a command are not checked. */
const unknownIn = (args: readonly string[]): string | undefined => {
  let command: Command = createProgram();
  for (const arg of args) {
    if (command.commands.length === 0) return undefined;
    const next = find(command, arg);
    if (!next) return arg;
    command = next;
  }
  return undefined;
};

const mentioned = (text: string) => [
  ...[...text.matchAll(/(?<![\w/.-])capstan ((?:[a-z]+(?:-[a-z]+)* ?)+)/g)].map(([all, args]) => ({
    all,
    args: args!,
  })),
  ...[...text.matchAll(/npm run (?:--silent )?capstan(?: -- ((?:[a-z]+(?:-[a-z]+)* ?)+))/g)].map(([all, args]) => ({
    all,
    args: args!,
  })),
  // Global options may come first.
  ...[...text.matchAll(/typed\([`']([a-z ]+)/g)].map(([all, args]) => ({ all, args: args! })),
];

describe('every command that an error, a comment or a page mentions', () => {
  it('exists', () => {
    const wrong = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return mentioned(text).flatMap(({ all, args }) => {
        const unknown = unknownIn(args.trim().split(' '));
        return unknown === undefined ? [] : [`${file}: "${all}": ${unknown} is no command`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('exists when it is an npm script', () => {
    const wrong = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/npm run (?:--silent )?([a-z][a-z0-9:-]*)/g)]
        .filter(([, script]) => !(script! in scripts))
        .map(([all]) => `${file}: ${all}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is found by the search', () => {
    expect(unknownIn(['cloud', 'fault', 'add'])).toBeUndefined();
    expect(unknownIn(['describe', 'machines'])).toBe('machines');
    expect(mentioned('see `capstan orphans list`, or npm run capstan -- thaw').map(({ args }) => args.trim())).toEqual([
      'orphans list',
      'thaw',
    ]);
  });
});

describe('start-up', () => {
  const imported = (file: string): string[] =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)';/gm)].map(
      ([, to]) => to!,
    );

  /** The packages and files that are loaded before a command runs. */
  const loaded = (): Set<string> => {
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(relative(root, file))) return;
      seen.add(relative(root, file));
      for (const to of imported(file)) {
        if (to.startsWith('.')) visit(join(dirname(file), to));
        else seen.add(to);
      }
    };
    visit(join(root, 'cli', 'program.ts'));
    return seen;
  };

  // A shell calls it at each Tab and kubectl for each token, so each command loads lazily what it needs.
  it('loads the command parser, and no command', () => {
    const all = [...loaded()];
    expect(all.filter((one) => !one.startsWith('node:') && (!one.includes('/') || one.startsWith('@'))).sort()).toEqual(
      ['@bomb.sh/tab/commander', 'commander'],
    );
    expect(all.filter((one) => /^(machinery|local|kinds|simulation|adapters|cdk)\//.test(one))).toEqual([]);
  });
});

describe('bin/capstan', () => {
  // Its own checkout with a fake installer, because a test must never change node_modules.
  let checkout: string;
  const mark = () => join(checkout, 'installed');
  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), 'capstan-bin-'));
    for (const folder of ['bin', 'tools']) mkdirSync(join(checkout, folder));
    for (const folder of ['cli', 'node_modules']) symlinkSync(join(root, folder), join(checkout, folder));
    copyFileSync(join(root, 'bin', 'capstan'), join(checkout, 'bin', 'capstan'));
    writeFileSync(
      join(checkout, 'tools', 'install.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark())}, '');\n`,
    );
  });
  beforeEach(() => {
    rmSync(mark(), { force: true });
    lockedAt(0);
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  /** Sets the modification time of package-lock.json, in seconds since 1970. */
  const lockedAt = (seconds: number) => {
    writeFileSync(join(checkout, 'package-lock.json'), '{}');
    utimesSync(join(checkout, 'package-lock.json'), seconds, seconds);
  };
  const shell = (script: string) =>
    new Promise<string>((resolve, reject) => {
      const env = { PATH: `${join(checkout, 'bin')}:${process.env.PATH}`, HOME: '/nowhere' };
      execFile('bash', ['--norc', '-c', script], { cwd: '/', env }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr || error.message)) : resolve(stdout),
      );
    });

  it('runs from any directory', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await shell('capstan --version')).toBe(`${version}\n`);
    expect(existsSync(mark())).toBe(false);
  });

  it('installs first when package-lock.json is newer than node_modules', async () => {
    lockedAt(Date.now() / 1000 + 3600);
    await shell('capstan --version');
    expect(existsSync(mark())).toBe(true);
  });

  it('runs through a symbolic link on the PATH', async () => {
    const link = join(checkout, 'linked');
    symlinkSync(join('bin', 'capstan'), link);
    expect(await shell(`${link} --version`)).toMatch(/^\d/);
  });

  /** The completions that bash offers after these words, from the generated script. */
  const offered = async (line: string): Promise<string[]> => {
    const args = line.split(' ');
    const quoted = args.map((arg) => `'${arg}'`).join(' ');
    const out = await shell(`
      source <(capstan completion bash)
      COMP_WORDS=(${quoted}) COMP_CWORD=${args.length - 1} COMP_LINE='${line}' COMP_POINT=${line.length} COMP_TYPE=9
      "$(complete -p capstan | sed -E 's/.*-F ([^ ]+) .*/\\1/')"
      printf '%s\\n' "\${COMPREPLY[@]}"`);
    return out
      .trim()
      .split(/\s*\n/)
      .map((each) => each.split(' ')[0]!);
  };

  it.each([
    { line: 'capstan desc', offers: ['describe'] },
    { line: 'capstan cloud f', offers: ['fault'] },
    { line: 'capstan describe cluster --wa', offers: ['--watch'] },
    { line: 'capstan describe cluster x -o y', offers: ['yaml'] },
  ])('completes "$line" in bash', { timeout: 30_000 }, async ({ line, offers }) => {
    expect(await offered(line)).toEqual(offers);
  });

  it.each(['zsh', 'fish'])('prints a script for %s', { timeout: 30_000 }, async (name) => {
    expect(await shell(`capstan completion ${name}`)).toContain('capstan');
  });

  it('is the binary that npm links', () => {
    const { bin: bins } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    expect(existsSync(join(root, bins.capstan!))).toBe(true);
  });
});
