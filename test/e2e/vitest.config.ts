import { defineConfig } from 'vitest/config';
import { nameTarget } from './localstack.ts';

nameTarget(process.env);

const shared = {
  // Waits time out by themselves with a reason; these limits only end hangs.
  testTimeout: 40 * 60_000,
  hookTimeout: 30 * 60_000,
  fileParallelism: false,
};

/** Against other implementations of the AWS API, started here unless AWS_ENDPOINT_URL or TARGET (aws, localstack) names one. */
export default defineConfig({
  test: {
    reporters: ['verbose'],
    projects: [
      {
        test: {
          ...shared,
          name: 'contract',
          include: ['test/e2e/contract/**/*.test.ts', 'test/e2e/ministack.test.ts', 'test/e2e/workflows.test.ts'],
          globalSetup: 'test/e2e/account.setup.ts',
        },
      },
      {
        test: {
          ...shared,
          name: 'deployment',
          include: ['deployment', 'new-account', 'by-hand'].map((name) => `test/e2e/${name}.test.ts`),
        },
      },
    ],
  },
});
