import { defineConfig } from 'vitest/config';

// A separate suite, because it builds Cluster API's code, which takes minutes the first time.
export default defineConfig({
  test: {
    include: ['test/topology/upstream.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
  },
});
