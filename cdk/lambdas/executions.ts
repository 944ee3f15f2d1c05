import { controllers } from '../../wiring.ts';
import { defineLambda } from './lambda.ts';

export const executions = defineLambda({
  entry: 'executions.ts',
  does: 'notes how workflows ended',
  megabytes: 512,
  isAsync: true,
  seconds: 30,
  environment: ['switching'],
  kilobytes: { atOnce: 179, all: 1715 },

  uses: { work: 'write', wakes: [controllers['cluster-operation'].worker], switches: true },
});
