import { defineConfig } from 'vitest/config';
import defaults from '../vitest.config.ts';

/**
 * Stories that take minutes: every state of an operation and every interference with it; and all
 * seeds of the suites that `npm test` runs with a part of them.
 */
export default defineConfig({
  test: {
    ...defaults.test,
    include: [
      '**/*.long.test.ts',
      'test/aws/{aws-cluster,spot,targets}.test.ts',
      'test/contract/store.test.ts',
      'kinds/**/convert.test.ts',
    ],
    exclude: ['node_modules/**'],
    env: { CAPSTAN_SEEDS: 'all' },
    // Ends only what hangs: on a busy machine one of them may take ten minutes.
    testTimeout: 1_800_000,
  },
});
