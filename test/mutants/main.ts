/** `npm run simulate:mutants`: breaks a copy of the tree, one seeded defect at a time, and reports what detects it. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { catalogue } from './catalogue.ts';
import { type Mutant, mutated } from './mutant.ts';
import type { Dawn, Night } from './night.ts';
import type { Trial, Verdict } from './trial.ts';

interface Options {
  only?: string[];
  area?: string;
  every: string;
  by: string;
  seeds: string;
  from: string;
  minutes: string;
  json?: boolean;
}
interface Fate {
  area: string;
  name: string;
  /** The detecting suite, and its test; undefined when nothing detected the defect. */
  killedBy: string | undefined;
  /** The number of seeds up to the one that detected it. */
  runs: number | undefined;
  seconds: number;
}
interface Found {
  noticed: string;
  /** Whether the simulation or a suite detected it; neither when a process hung or died. */
  suite?: string;
  seed?: number;
  runs?: number;
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

/** Runs suites over a copy of the tree, in one process for all trials; a hang counts as a detection, too. */
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

/** The first seed that detects the defect, in how many runs. */
const simulated = (cwd: string, night: Night, minutes: number): Promise<Found | undefined> =>
  new Promise((resolve) => {
    const child = fork('test/mutants/night.ts', { cwd, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const done = (found: Found | undefined) => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.kill('SIGKILL');
      resolve(found);
    };
    const timer = setTimeout(() => done({ noticed: 'seeds: one hangs' }), minutes * 60_000);
    child.once('message', ({ noticed }: Dawn) => {
      if (!noticed) return done(undefined);
      const { seed, invariant, message } = noticed;
      const [line = ''] = message.split('\n');
      // The message of a violation begins with the name of its rule.
      const what = line.startsWith(invariant) ? line : `${invariant}: ${line}`;
      done({ noticed: `seed ${seed}: ${what.slice(0, 240)}`, seed, runs: seed - night.from + 1 });
    });
    child.once('exit', () => done({ noticed: 'seeds: their process died' }));
    child.send(night);
  });

const run = async (options: Options): Promise<void> => {
  const chosen = Object.entries(catalogue)
    .filter(([area]) => !options.area || area === options.area)
    .flatMap(([area, mutants]) => mutants.map((mutant) => ({ area, ...mutant })))
    .filter(({ name }) => !options.only || options.only.some((text) => name.includes(text)))
    .filter((_, index) => index % Number(options.every) === 0);
  if (chosen.length === 0) throw new Error('no mutant is called so');
  const copy = copyOfTree();
  const suites = openSuites(copy, Number(options.minutes));
  const sound = new Set<string | number>();
  const [from, seeds, minutes] = [options.from, options.seeds, options.minutes].map(Number) as [number, number, number];
  /** The seeds that fail without any mutant. */
  const ill: number[] = [];
  const fates: Fate[] = [];

  /** A failure without any mutant detects none: such a seed is skipped, such a suite is an error. */
  const isSound = async ({ suite, seed }: Found): Promise<boolean> => {
    const by = suite ?? seed;
    if (by === undefined || sound.has(by)) return true;
    if (seed !== undefined && (await simulated(copy, { from: seed, seeds: 1, without: [] }, minutes))) {
      ill.push(seed);
      return false;
    }
    const noticed = suite && (await suites.notices(suite));
    if (noticed) throw new Error(`without a mutant, ${noticed}`);
    sound.add(by);
    return true;
  };
  const noticing = async (mutant: Mutant): Promise<Found | undefined> => {
    for (const suite of options.by === 'seeds' ? [] : mutant.suites) {
      const noticed = await suites.notices(suite);
      if (noticed) return { suite, noticed };
    }
    return options.by === 'suites' ? undefined : simulated(copy, { from, seeds, without: ill }, minutes);
  };
  const noticedBy = async (mutant: Mutant): Promise<Found | undefined> => {
    const source = readFileSync(join(copy, mutant.file), 'utf8');
    const broken = mutated(mutant, source);
    suites.change(mutant.file, broken);
    const found = await noticing(mutant);
    suites.change(mutant.file, source);
    return !found || (await isSound(found)) ? found : noticedBy(mutant);
  };

  try {
    for (const mutant of chosen) {
      const began = performance.now();
      const found = await noticedBy(mutant);
      const killedBy = found?.noticed;
      const seconds = Math.round((performance.now() - began) / 1000);
      fates.push({ area: mutant.area, name: mutant.name, killedBy, runs: found?.runs, seconds });
      if (!options.json)
        console.log(`${killedBy ? 'killed  ' : 'SURVIVED'} ${mutant.name} | ${killedBy ?? '-'} | ${seconds} s`);
    }
  } finally {
    suites.close();
    rmSync(copy, { recursive: true, force: true });
  }
  const killed = fates.filter(({ killedBy }) => killedBy).length;
  if (options.json) console.log(JSON.stringify({ killed, all: fates.length, ill, fates }, null, 2));
  else console.log(`${killed} of ${fates.length} killed`);
  if (ill.length > 0) console.error(`fail without any mutant, too: seeds ${ill.join(', ')}`);
  process.exitCode = killed === fates.length && ill.length === 0 ? 0 : 1;
};

await new Command('mutants')
  .description('Breaks a copy of the tree, one seeded defect at a time, and shows what notices.')
  .option('--only <text...>', 'mutants whose names contain one of these')
  .option('--area <name>', `of one part of the system: ${Object.keys(catalogue).join(', ')}`)
  .option('--every <n>', 'of these, each so many-th', '1')
  .addOption(
    new Option('--by <what>', 'what may notice; of both, seeds only what no suite did')
      .choices(['suites', 'seeds', 'both'])
      .default('both'),
  )
  .option('--seeds <n>', 'runs of the simulation, until one notices', '3')
  .option('--from <seed>', 'the first of them', '1')
  .option('--minutes <n>', 'after which a suite, or the seeds of a mutant, count as hanging', '20')
  .option('--json', 'the result as JSON')
  .action(run)
  .parseAsync();
