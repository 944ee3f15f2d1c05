import { defineConfig } from 'vitest/config';

// A separate suite, because it builds an API server, which takes minutes the first time.
export default defineConfig({
  test: {
    include: ['test/workload/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
