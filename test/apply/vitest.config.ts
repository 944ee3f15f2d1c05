import { defineConfig } from 'vitest/config';

// A separate suite, because it builds Kubernetes' field managers, which takes minutes the first time.
export default defineConfig({
  test: {
    include: ['test/apply/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
  },
});
