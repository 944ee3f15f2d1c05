/** `npm run bench:fleet`: the cost of a fleet in each phase. */
import { criticalPath, isOneWave } from './fleet/critical-path.ts';
import { parseOptions, usage } from './fleet/options.ts';
import { figuresOf, lineOf, tableOf } from './fleet/report.ts';
import { runFleet } from './fleet/run.ts';
import { runStorm, stormText } from './fleet/storm.ts';

const read = () => {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
};

const { json, help, ...options } = read();
if (help) {
  console.log(usage);
} else if (options.storm) {
  const { figures, errors } = await runStorm(options);
  console.log(json ? JSON.stringify(figures) : stormText(figures));
  for (const error of new Set(errors)) console.error(error);
} else {
  const { phases, errors, left } = await runFleet(options, (name, { phase }) => {
    console.error(lineOf(name, phase));
  });
  const figures = figuresOf(options, phases);
  console.log(
    json ? JSON.stringify(figures) : tableOf(figures, phases, isOneWave(options) ? criticalPath(options) : undefined),
  );
  for (const error of new Set(errors)) console.error(error);
  if (left.length > 0) {
    console.error(`left in the account: ${left.join(', ')}`);
    process.exitCode = 1;
  }
}
