import { defineConfig } from 'vitest/config';

// A separate suite, because it builds upstream's conversions, which takes minutes the first time.
export default defineConfig({
  test: {
    include: ['test/conversion/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 1_200_000,
  },
});
