import { defineConfig } from 'vitest/config';

/** Against another implementation of the AWS API, named by AWS_ENDPOINT_URL. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 10 * 60_000,
    fileParallelism: false,
  },
});
