import { defineConfig } from 'vitest/config';

// A separate suite, because it builds the clients of Flux, Argo CD and Helm, which takes minutes the first time.
export default defineConfig({
  test: {
    include: ['test/gitops/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
  },
});
