/** `npm run simulate:mutants`: breaks a copy of the tree, one seeded defect at a time, and shows what notices. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { mutants } from './catalogue.ts';
import { type Mutant, mutated } from './mutant.ts';

interface Options {
  only?: string;
  seeds: string;
  from: string;
  minutes: string;
  json?: boolean;
}
interface Fate {
  name: string;
  /** Undefined when nothing noticed. */
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

/** Whether it ends well within `minutes`: what hangs has noticed, too. */
const holds = (cwd: string, args: readonly string[], minutes: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: 'ignore', timeout: minutes * 60_000 });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });

type Attempt = readonly [name: string, args: readonly string[]];

const suiteOf = (suite: string): Attempt => [suite, ['node_modules/vitest/vitest.mjs', 'run', '--bail=1', suite]];
const seedsOf = ({ from, seeds }: Options): Attempt => [
  `seeds ${from} to ${Number(from) + Number(seeds) - 1}`,
  ['test/simulate/main.ts', '--seeds', seeds, '--from', from, '--json'],
];

/** What fails without any mutant kills none. */
const expectSound = async (copy: string, chosen: readonly Mutant[], options: Options): Promise<void> => {
  const suites = [...new Set(chosen.flatMap((mutant) => mutant.suites))];
  for (const [name, args] of [...suites.map(suiteOf), seedsOf(options)])
    if (!(await holds(copy, args, Number(options.minutes)))) throw new Error(`${name} fails without a mutant`);
};

const fateOf = async (copy: string, mutant: Mutant, options: Options): Promise<Fate> => {
  const began = performance.now();
  const path = join(copy, mutant.file);
  const source = readFileSync(path, 'utf8');
  const broken = mutated(mutant, source);
  if (broken === undefined) throw new Error(`${mutant.name}: ${mutant.file} is not as it was`);
  let killedBy: string | undefined;
  writeFileSync(path, broken);
  try {
    for (const [name, args] of [...mutant.suites.map(suiteOf), seedsOf(options)]) {
      if (await holds(copy, args, Number(options.minutes))) continue;
      killedBy = name;
      break;
    }
  } finally {
    writeFileSync(path, source);
  }
  return { name: mutant.name, killedBy, seconds: Math.round((performance.now() - began) / 1000) };
};

const run = async (options: Options): Promise<void> => {
  const chosen = mutants.filter(({ name }) => !options.only || name.includes(options.only));
  if (chosen.length === 0) throw new Error(`no mutant is called ${options.only}`);
  const copy = copyOfTree();
  const fates: Fate[] = [];
  try {
    await expectSound(copy, chosen, options);
    for (const mutant of chosen) {
      const fate = await fateOf(copy, mutant, options);
      fates.push(fate);
      if (!options.json)
        console.log(
          `${fate.killedBy ? 'killed  ' : 'SURVIVED'} ${fate.name}: ${fate.killedBy ?? '-'}, ${fate.seconds} s`,
        );
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  const killed = fates.filter(({ killedBy }) => killedBy).length;
  if (options.json) console.log(JSON.stringify({ killed, all: fates.length, fates }, null, 2));
  else console.log(`${killed} of ${fates.length} killed`);
  process.exitCode = killed === fates.length ? 0 : 1;
};

await new Command('mutants')
  .description('Breaks a copy of the tree, one seeded defect at a time, and shows what notices.')
  .option('--only <text>', 'mutants whose names contain this')
  .option('--seeds <n>', 'runs of the simulation for what no suite kills', '3')
  .option('--from <seed>', 'the first of them', '1')
  .option('--minutes <n>', 'after which a suite counts as hanging', '20')
  .option('--json', 'the result as JSON')
  .action(run)
  .parseAsync();
