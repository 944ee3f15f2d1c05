import { defineLambda } from './lambda.ts';

export const guard = defineLambda({
  entry: 'guard.ts',
  does: 'refuses to take the stack down while there are clusters',
  megabytes: 512,
  seconds: 60,
  kilobytes: { atOnce: 102, all: 1310 },
  // It answers CloudFormation over HTTPS, which needs no permission.
  uses: { objects: 'read', work: 'read', mark: 'remove', stack: true, format: true },
});
