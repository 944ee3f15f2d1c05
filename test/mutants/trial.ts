/** Runs suites for main.ts over its copy of the tree, as often as requested, without a restart. */
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';

export interface Trial {
  suite: string;
  /** The files that changed since the last trial. */
  changed: string[];
}
/** What detected the defect; undefined when nothing did. */
export interface Verdict {
  noticed?: string;
}

const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  fileParallelism: false,
  pool: 'threads',
  reporters: [{}],
});

const run = async ({ suite, changed }: Trial): Promise<Verdict> => {
  for (const file of changed) vitest.invalidateFile(resolve(file));
  const specifications = await vitest.globTestSpecifications([suite]);
  if (specifications.length === 0) throw new Error(`there is no suite ${suite}`);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // Includes those of earlier trials.
  const own = new Set(specifications.map(({ moduleId }) => moduleId));
  for (const module of testModules) {
    if (!own.has(module.moduleId) || module.state() !== 'failed') continue;
    const [test] = module.children.allTests('failed');
    return { noticed: test?.fullName ?? `${module.relativeModuleId} cannot be loaded` };
  }
  return unhandledErrors.length > 0 ? { noticed: String(unhandledErrors[0]) } : {};
};

process.on('message', (trial: Trial) => {
  void run(trial).then((verdict) => process.send?.(verdict));
});
process.on('disconnect', () => process.exit());
