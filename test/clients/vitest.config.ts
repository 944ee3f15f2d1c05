import { defineConfig } from 'vitest/config';

/** Stock clients against a running server: needs a kubectl, so it is not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 20 * 60_000,
    // Every test starts processes, so files in parallel would only wait for each other.
    fileParallelism: false,
  },
});
