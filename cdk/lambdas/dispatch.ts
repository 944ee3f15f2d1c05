import { workerClasses } from '../worker-classes.ts';
import { defineLambda } from './lambda.ts';

export const dispatch = defineLambda({
  entry: 'dispatch.ts',
  does: 'turns changes of objects into work',
  megabytes: 512,
  seconds: 60,
  environment: ['switching'],
  kilobytes: { atOnce: 186, all: 1700 },

  uses: { objects: 'list', work: 'write', wakes: workerClasses, switches: true },
});
