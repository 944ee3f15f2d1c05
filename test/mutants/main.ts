/** `npm run simulate:mutants`: breaks a copy of the tree, one seeded defect at a time, and shows what notices. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { catalogue } from './catalogue.ts';
import { type Mutant, mutated } from './mutant.ts';
import type { Trial, Verdict } from './trial.ts';

interface Options {
  only?: string[];
  area?: string;
  seeds: string;
  from: string;
  minutes: string;
  json?: boolean;
}
interface Fate {
  area: string;
  name: string;
  /** The suite, and in it the test; undefined when nothing noticed. */
  killedBy: string | undefined;
  seconds: number;
}

const copyOfTree = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'capstan-mutants-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    maxBuffer: 1e8,
  });
  for (const file of list.toString().split('\0').filter(Boolean)) cpSync(file, join(copy, file), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  return copy;
};

/** Suites over a copy of the tree, by one process that goes on from trial to trial; what hangs has noticed, too. */
const openSuites = (cwd: string, minutes: number) => {
  let child: ChildProcess | undefined;
  const changed = new Set<string>();
  const close = () => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const notices = (suite: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      child ??= fork('test/mutants/trial.ts', { cwd, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      const current = child;
      const done = (verdict: string | undefined) => {
        clearTimeout(timer);
        current.removeAllListeners();
        resolve(verdict && `${suite}: ${verdict}`);
      };
      const timer = setTimeout(() => {
        close();
        done('it hangs');
      }, minutes * 60_000);
      current.once('message', ({ noticed }: Verdict) => done(noticed));
      current.once('exit', () => {
        child = undefined;
        done('its process died');
      });
      current.send({ suite, changed: [...changed] } satisfies Trial);
      changed.clear();
    });
  const change = (file: string, text: string) => {
    writeFileSync(join(cwd, file), text);
    changed.add(file);
  };
  return { notices, change, close };
};

const simulation = 'simulation';
/** What the simulation notices in a few runs. */
const simulated = (cwd: string, { from, seeds, minutes }: Options): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    if (Number(seeds) === 0) return resolve(undefined);
    const args = ['test/simulate/main.ts', '--seeds', seeds, '--from', from, '--json'];
    const child = spawn(process.execPath, args, { cwd, stdio: 'ignore', timeout: Number(minutes) * 60_000 });
    child.on('error', reject);
    child.on('exit', (code) =>
      resolve(code === 0 ? undefined : `seeds ${from} to ${Number(from) + Number(seeds) - 1}`),
    );
  });

const run = async (options: Options): Promise<void> => {
  const chosen = Object.entries(catalogue)
    .filter(([area]) => !options.area || area === options.area)
    .flatMap(([area, mutants]) => mutants.map((mutant) => ({ area, ...mutant })))
    .filter(({ name }) => !options.only || options.only.some((text) => name.includes(text)));
  if (chosen.length === 0) throw new Error('no mutant is called so');
  const copy = copyOfTree();
  const suites = openSuites(copy, Number(options.minutes));
  const sound = new Set<string>();
  const fates: Fate[] = [];

  /** What fails without any mutant kills none. */
  const expectSound = async (suite: string) => {
    if (sound.has(suite)) return;
    const noticed = suite === simulation ? await simulated(copy, options) : await suites.notices(suite);
    if (noticed) throw new Error(`without a mutant, ${noticed}`);
    sound.add(suite);
  };
  const noticing = async (mutant: Mutant): Promise<{ suite: string; noticed: string } | undefined> => {
    for (const suite of mutant.suites) {
      const noticed = await suites.notices(suite);
      if (noticed) return { suite, noticed };
    }
    const noticed = await simulated(copy, options);
    return noticed ? { suite: simulation, noticed } : undefined;
  };
  const noticedBy = async (mutant: Mutant): Promise<string | undefined> => {
    const source = readFileSync(join(copy, mutant.file), 'utf8');
    const broken = mutated(mutant, source);
    if (broken === undefined) throw new Error(`${mutant.name}: ${mutant.file} is not as it was`);
    suites.change(mutant.file, broken);
    const found = await noticing(mutant);
    suites.change(mutant.file, source);
    if (found) await expectSound(found.suite);
    return found?.noticed;
  };

  try {
    for (const mutant of chosen) {
      const began = performance.now();
      const killedBy = await noticedBy(mutant);
      const seconds = Math.round((performance.now() - began) / 1000);
      fates.push({ area: mutant.area, name: mutant.name, killedBy, seconds });
      if (!options.json)
        console.log(`${killedBy ? 'killed  ' : 'SURVIVED'} ${mutant.name} | ${killedBy ?? '-'} | ${seconds} s`);
    }
  } finally {
    suites.close();
    rmSync(copy, { recursive: true, force: true });
  }
  const killed = fates.filter(({ killedBy }) => killedBy).length;
  if (options.json) console.log(JSON.stringify({ killed, all: fates.length, fates }, null, 2));
  else console.log(`${killed} of ${fates.length} killed`);
  process.exitCode = killed === fates.length ? 0 : 1;
};

await new Command('mutants')
  .description('Breaks a copy of the tree, one seeded defect at a time, and shows what notices.')
  .option('--only <text...>', 'mutants whose names contain one of these')
  .option('--area <name>', `of one part of the system: ${Object.keys(catalogue).join(', ')}`)
  .option('--seeds <n>', 'runs of the simulation for what no suite kills; 0 for none', '3')
  .option('--from <seed>', 'the first of them', '1')
  .option('--minutes <n>', 'after which a suite counts as hanging', '20')
  .option('--json', 'the result as JSON')
  .action(run)
  .parseAsync();
