import { workerClasses } from '../worker-classes.ts';
import { defineLambda } from './lambda.ts';

export const sweep = defineLambda({
  entry: 'sweep.ts',
  does: 'finds work that was lost, and puts to sleep what has none',
  megabytes: 512,
  isAsync: true,
  seconds: 300,
  environment: ['switching', 'changes'],
  kilobytes: { atOnce: 208, all: 1850 },
  // The garbage collector looks at encrypted objects, when the sweep requests it.
  uses: {
    objects: 'list',
    work: 'write',
    wakes: workerClasses,
    switches: true,
    changes: true,
  },
});
