import { controllers } from '../../wiring.ts';
import { defineLambda } from './lambda.ts';

export const operate = defineLambda({
  entry: 'operate.ts',
  does: 'the tasks of workflows',
  megabytes: 512,
  seconds: 30,
  environment: ['switching'],
  kilobytes: { atOnce: 176, all: 1695 },

  uses: { work: 'write', wakes: [controllers['cluster-operation'].worker], switches: true },
});
